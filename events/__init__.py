"""What happened at the table, and the rules that judge it. Imports nothing, so that every part can be used alone."""
