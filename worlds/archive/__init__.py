"""Documents written here, with what can be asked of them: stories and chronicles, all invented."""

ARCHIVE_VERSION = 12  # raised whenever the bytes change
