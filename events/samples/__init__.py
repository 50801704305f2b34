"""Games that ship with the program, as package data."""
