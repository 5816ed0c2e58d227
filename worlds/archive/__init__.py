"""Documents written here, with what can be asked of them: stories, annual reports and files of lawsuits, all invented."""

ARCHIVE_VERSION = 6  # raised whenever the bytes change
