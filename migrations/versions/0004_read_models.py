"""The read models: their tables, and how far each has come.

Only creates, in two schemas that belong to the worker's login (`migrations/env.py` makes them). From then on
the worker keeps the tables: a rebuild makes them anew in lanterlog_build and moves them here. Going down loses
nothing that cannot be made again from the log.
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE lanterlog_read.catalogue_games (
  game_id uuid NOT NULL,
  game text NOT NULL,
  mode text NOT NULL,
  visibility text NOT NULL,
  status text NOT NULL,
  ruleset text NOT NULL,
  engine text NOT NULL,
  players uuid[] NOT NULL,
  deals integer NOT NULL,
  scores bigint[] NOT NULL,
  winner smallint,
  opened_at timestamptz NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  version integer NOT NULL,
  CONSTRAINT catalogue_games_pkey PRIMARY KEY (game_id)
);
CREATE INDEX catalogue_games_game_game_id_idx ON lanterlog_read.catalogue_games (game, game_id);
CREATE INDEX catalogue_games_last_at_game_id_idx ON lanterlog_read.catalogue_games (last_at, game_id);
CREATE INDEX catalogue_games_players_idx ON lanterlog_read.catalogue_games USING gin (players);
COMMENT ON TABLE lanterlog_read.catalogue_games IS
  'A row a game: players, rules, where it stands; scores by seat, null where not known.';

CREATE TABLE lanterlog_read.catalogue_deals (
  game_id uuid NOT NULL,
  from_version integer NOT NULL,
  to_version integer NOT NULL,
  deal integer NOT NULL,
  dealer smallint NOT NULL,
  ended text,
  out smallint,
  scores bigint[],
  CONSTRAINT catalogue_deals_pkey PRIMARY KEY (game_id, from_version)
);
COMMENT ON TABLE lanterlog_read.catalogue_deals IS
  'A row a deal: its events, how it ended, what it scored.';

CREATE TABLE lanterlog_read.standings_games (
  game_id uuid NOT NULL,
  player_id uuid NOT NULL,
  game text NOT NULL,
  visibility text NOT NULL,
  status text NOT NULL,
  deals integer NOT NULL,
  wins integer NOT NULL,
  points bigint,
  calls_made integer,
  calls_won integer,
  calls_lost integer,
  loos integer,
  chips bigint,
  CONSTRAINT standings_games_pkey PRIMARY KEY (player_id, game_id)
);
CREATE INDEX standings_games_game_id_idx ON lanterlog_read.standings_games (game_id);
COMMENT ON TABLE lanterlog_read.standings_games IS
  'A row a player and game, of which standings are the sums.';

CREATE TABLE lanterlog_read.findings (
  game_id uuid NOT NULL,
  number integer NOT NULL,
  game text NOT NULL,
  visibility text NOT NULL,
  version integer NOT NULL,
  deal integer,
  seat smallint,
  severity text NOT NULL,
  code text NOT NULL,
  rule text NOT NULL,
  event text NOT NULL,
  params json NOT NULL,
  is_open boolean NOT NULL,
  CONSTRAINT findings_pkey PRIMARY KEY (game_id, number)
);
CREATE INDEX findings_code_game_id_number_idx ON lanterlog_read.findings (code, game_id, number);
CREATE INDEX findings_rule_game_id_number_idx ON lanterlog_read.findings (rule, game_id, number);
COMMENT ON TABLE lanterlog_read.findings IS
  'A row a finding of the audit that every sealed game goes through.';

CREATE TABLE lanterlog_read.checkpoints (
  name text NOT NULL,
  version integer NOT NULL,
  position bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  failed_at timestamptz,
  failed_position bigint,
  failed_game_id uuid,
  failed_version integer,
  failure text,
  CONSTRAINT checkpoints_pkey PRIMARY KEY (name),
  CONSTRAINT checkpoints_position_check CHECK (position >= 0)
);
COMMENT ON TABLE lanterlog_read.checkpoints IS
  'How far each read model has come in the ledger, and where it has stopped on an error.';
INSERT INTO lanterlog_read.checkpoints (name, version, position, updated_at)
  SELECT name, 1, 0, clock_timestamp()
  FROM unnest(ARRAY['catalogue', 'standings', 'findings']) AS model (name);
"""

# Tables that a rebuild makes carry the right with them when they move.
RIGHTS = """
GRANT USAGE ON SCHEMA lanterlog_read TO {app};
GRANT SELECT ON ALL TABLES IN SCHEMA lanterlog_read TO {app};
ALTER DEFAULT PRIVILEGES IN SCHEMA lanterlog_read GRANT SELECT ON TABLES TO {app};
ALTER DEFAULT PRIVILEGES IN SCHEMA lanterlog_build GRANT SELECT ON TABLES TO {app};
"""

DOWN = """
ALTER DEFAULT PRIVILEGES IN SCHEMA lanterlog_read REVOKE SELECT ON TABLES FROM {app};
ALTER DEFAULT PRIVILEGES IN SCHEMA lanterlog_build REVOKE SELECT ON TABLES FROM {app};
REVOKE USAGE ON SCHEMA lanterlog_read FROM {app};
"""

# A rebuild that was broken off leaves tables in lanterlog_build.
DROPS = """
DO $$
DECLARE
  v_table regclass;
BEGIN
  FOR v_table IN
    SELECT c.oid FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace IN
      ('lanterlog_read'::regnamespace, 'lanterlog_build'::regnamespace)
  LOOP
    EXECUTE 'DROP TABLE ' || v_table;
  END LOOP;
END $$;
"""


def upgrade() -> None:
    _as_worker(TABLES, RIGHTS)


def downgrade() -> None:
    _as_worker(DOWN, DROPS)


def _as_worker(*parts: str) -> None:
    """Run as the worker's role, which shall own what is made, and go back to being the owner."""
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    op.execute(f"SET LOCAL ROLE {quote(roles.worker)}")
    for part in parts:
        op.execute(part.format(app=quote(roles.app)) if "{app}" in part else part)
    op.execute(f"SET LOCAL ROLE {quote(roles.owner)}")
