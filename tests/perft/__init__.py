"""Exact counts of legal acts and lines, by the engine and by a naive second enumerator."""
