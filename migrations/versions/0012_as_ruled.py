"""Catalogue and standings follow rulings, and keep what was played beside them.

Empties both and sets them to the ledger's beginning: the worker fills them again, a million events in a few
seconds, and until then lists miss what it has not come to. Locks the three tables for an instant.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = """
TRUNCATE lanterlog_read.catalogue_games, lanterlog_read.catalogue_deals, lanterlog_read.standings_games;
ALTER TABLE lanterlog_read.catalogue_games
  ADD COLUMN scores_played bigint[] NOT NULL, ADD COLUMN winner_played smallint,
  ADD COLUMN disputes integer NOT NULL;
ALTER TABLE lanterlog_read.catalogue_deals ADD COLUMN scores_played bigint[];
ALTER TABLE lanterlog_read.standings_games
  ADD COLUMN wins_played integer NOT NULL, ADD COLUMN points_played bigint,
  ADD COLUMN chips_played bigint;
COMMENT ON TABLE lanterlog_read.catalogue_games IS
  'A row a game: players, rules, where it stands; scores by seat, as ruled and as played.';
COMMENT ON TABLE lanterlog_read.catalogue_deals IS
  'A row a deal: its events, how it ended, what it scored, as ruled and as played.';
"""
DOWN = """
TRUNCATE lanterlog_read.catalogue_games, lanterlog_read.catalogue_deals, lanterlog_read.standings_games;
ALTER TABLE lanterlog_read.catalogue_games
  DROP COLUMN scores_played, DROP COLUMN winner_played, DROP COLUMN disputes;
ALTER TABLE lanterlog_read.catalogue_deals DROP COLUMN scores_played;
ALTER TABLE lanterlog_read.standings_games
  DROP COLUMN wins_played, DROP COLUMN points_played, DROP COLUMN chips_played;
COMMENT ON TABLE lanterlog_read.catalogue_games IS
  'A row a game: players, rules, where it stands; scores by seat, null where not known.';
COMMENT ON TABLE lanterlog_read.catalogue_deals IS
  'A row a deal: its events, how it ended, what it scored.';
"""
AGAIN = """
UPDATE lanterlog_read.checkpoints SET version = {version}, position = 0, updated_at = clock_timestamp(),
  failed_at = NULL, failed_position = NULL, failed_game_id = NULL, failed_version = NULL, failure = NULL
WHERE name IN ('catalogue', 'standings');
"""


def upgrade() -> None:
    _as_worker(TABLES, AGAIN.replace("{version}", "2"))


def downgrade() -> None:
    _as_worker(DOWN, AGAIN.replace("{version}", "1"))


def _as_worker(*parts: str) -> None:
    """Run as the worker's role, whose tables they are, and go back to being the owner."""
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    op.execute(f"SET LOCAL ROLE {quote(roles.worker)}")
    for part in parts:
        op.execute(part)
    op.execute(f"SET LOCAL ROLE {quote(roles.owner)}")
