"""What the events mean: replays, audits and read models, each a pure fold."""
