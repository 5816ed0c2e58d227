"""Write the reference pages."""

from devtools.reference_pages.pages import write

write()
