"""`lanterlog bench`: how fast the store is, beside PostgreSQL alone and beside the package `eventsourcing`.

Everything runs on a server of its own with PostgreSQL's durable defaults, in a fresh folder that is taken
away afterwards. Nothing here ever opens the user's store, and nothing outside imports more than these two.
"""

from api.bench.command import add_arguments, main

__all__ = ["add_arguments", "main"]
