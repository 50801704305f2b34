"""How people reach Lanterlog: the HTTP service and the `lanterlog` command."""
