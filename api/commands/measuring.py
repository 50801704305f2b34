"""`lanterlog bench`: hands over to `api.bench`, which uses a server and a folder of its own."""

from argparse import Namespace


def bench(args: Namespace) -> int:
    """Measure and print the table."""
    from api.bench import main

    return main(args)
