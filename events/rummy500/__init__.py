"""500 Rummy: its events, ruleset, state, evolution and referee. Imports nothing by itself."""
