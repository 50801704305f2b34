"""Lists: indexes by which a page of games or findings is found whatever is asked for, also when hardly any row is of that kind.

Builds and drops indexes of two read models, and empties nothing. While they are built the worker waits with its rows of
these tables; readers and recorders go on, since what locks readers out, dropping, comes last and takes an instant. 320,000
games and as many findings took 42 s on two cores with nine times too much to do, so no statement is broken off by time. An
older program reads the same tables, and rebuilds them with its own indexes.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

INDEXES = """
CREATE INDEX catalogue_games_kinds_idx ON lanterlog_read.catalogue_games
  (game, mode, status, visibility, game_id);
CREATE INDEX catalogue_games_ruleset_idx ON lanterlog_read.catalogue_games
  (ruleset, game, mode, status, visibility, game_id);
CREATE INDEX catalogue_games_first_at_game_id_idx ON lanterlog_read.catalogue_games (first_at, game_id);
CREATE INDEX findings_kinds_idx ON lanterlog_read.findings
  (game, severity, visibility, is_open, game_id, number);
CREATE INDEX findings_code_idx ON lanterlog_read.findings
  (code, rule, game, severity, visibility, is_open, game_id, number);
CREATE INDEX findings_rule_idx ON lanterlog_read.findings
  (rule, game, severity, visibility, is_open, game_id, number);
CREATE INDEX findings_breaches_idx ON lanterlog_read.findings (game_id) WHERE severity = 'breach';
DROP INDEX lanterlog_read.catalogue_games_game_game_id_idx,
  lanterlog_read.findings_code_game_id_number_idx, lanterlog_read.findings_rule_game_id_number_idx;
"""
DOWN = """
CREATE INDEX catalogue_games_game_game_id_idx ON lanterlog_read.catalogue_games (game, game_id);
CREATE INDEX findings_code_game_id_number_idx ON lanterlog_read.findings (code, game_id, number);
CREATE INDEX findings_rule_game_id_number_idx ON lanterlog_read.findings (rule, game_id, number);
DROP INDEX lanterlog_read.catalogue_games_kinds_idx, lanterlog_read.catalogue_games_ruleset_idx,
  lanterlog_read.catalogue_games_first_at_game_id_idx, lanterlog_read.findings_kinds_idx,
  lanterlog_read.findings_code_idx, lanterlog_read.findings_rule_idx, lanterlog_read.findings_breaches_idx;
"""


def upgrade() -> None:
    _as_worker(INDEXES)


def downgrade() -> None:
    _as_worker(DOWN)


def _as_worker(statements: str) -> None:
    """Run as the worker's role, whose tables they are, and go back to being the owner."""
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    op.execute(f"SET LOCAL ROLE {quote(roles.worker)}; SET LOCAL statement_timeout = 0")
    op.execute(statements)
    op.execute(f"SET LOCAL ROLE {quote(roles.owner)}")
