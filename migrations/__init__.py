"""Alembic migrations of the store; they import nothing of the program but its two schemas."""
