"""Text formats that games are read from and written to, one module each."""
