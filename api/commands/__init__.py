"""The commands of `lanterlog`, a module for each kind of work; `api.cli` reads the words and calls them."""
