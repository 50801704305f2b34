"""Many whole games by bots: what must hold in every one of them, and what an audit must find in a spoilt one."""
