"""One file a migration, written by hand."""
