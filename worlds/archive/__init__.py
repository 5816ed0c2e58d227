"""Documents written here, with what can be asked of them: stories and chronicles, all invented."""

ARCHIVE_VERSION = 10  # raised whenever the bytes change
