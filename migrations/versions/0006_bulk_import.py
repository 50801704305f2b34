"""Bulk import: whole games come by COPY into a staging table, and one function checks and takes them in.

Locks events and games against everything for an instant: an event's game is no longer looked up by a foreign
key, which took half of what storing an event takes. What the key promised holds all the same: the first event
needs its game (the trigger below), each later one follows an event of the same game, and a game never goes
(the trigger on games, which is new). Going down puts the key back, which reads all events.

    LL014 what was staged is not what the heads count

The program's own login may COPY into the staging table and neither read it nor change it. So nobody knows
another import's batch id, and whoever fills in rows under an id of his own makes others no trouble.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Scratch: not in the WAL, empty after a crash, emptied by clear_staging.
STAGING = """
CREATE UNLOGGED TABLE lanterlog.staged_events (
  batch_id uuid NOT NULL,
  game_id uuid NOT NULL,
  version integer NOT NULL,
  recorded_at timestamptz NOT NULL,
  recorded_by uuid NOT NULL,
  salt bytea NOT NULL,
  hash bytea NOT NULL,
  body json NOT NULL
);
CREATE INDEX staged_events_batch_id_idx ON lanterlog.staged_events (batch_id);
COMMENT ON TABLE lanterlog.staged_events IS 'Events on their way in, until their transaction ends.';

CREATE UNLOGGED TABLE lanterlog.staged_games (
  batch_id uuid NOT NULL,
  game_id uuid NOT NULL,
  kind text NOT NULL,
  game text NOT NULL,
  mode text NOT NULL,
  visibility text NOT NULL,
  version integer NOT NULL,
  head bytea NOT NULL,
  created_at timestamptz NOT NULL,
  imported_by uuid NOT NULL,
  is_new boolean NOT NULL,
  CONSTRAINT staged_games_pkey PRIMARY KEY (batch_id, game_id)
);
COMMENT ON TABLE lanterlog.staged_games IS 'Heads of the games that are on their way in.';
"""

# As in 0001, and the first event needs its game.
CHECK_EVENT = """
CREATE OR REPLACE FUNCTION lanterlog.check_event() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_previous bytea := decode(repeat('00', 32), 'hex');
  v_at timestamptz := '-infinity';
BEGIN
  IF NEW.version > 1 THEN
    SELECT e.hash, e.recorded_at INTO v_previous, v_at
      FROM events e WHERE e.game_id = NEW.game_id AND e.version = NEW.version - 1;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'version % of game % follows no event', NEW.version, NEW.game_id
        USING ERRCODE = 'LL007', DETAIL = NEW.version::text;
    END IF;
  ELSIF NOT EXISTS (SELECT FROM games g WHERE g.game_id = NEW.game_id) THEN
    RAISE EXCEPTION 'no game %', NEW.game_id USING ERRCODE = 'LL003';
  END IF;
  IF NEW.recorded_at < v_at OR NOT isfinite(NEW.recorded_at) THEN
    RAISE EXCEPTION 'version % of game % has the time %, the event before it %',
      NEW.version, NEW.game_id, NEW.recorded_at, v_at
      USING ERRCODE = 'LL009', DETAIL = NEW.version::text;
  END IF;
  IF NEW.hash IS DISTINCT FROM event_hash(NEW.game_id, NEW.version, v_previous, NEW.recorded_at,
      NEW.recorded_by, inner_hash(NEW.salt, NEW.body::text)) THEN
    RAISE EXCEPTION 'version % of game % does not have the hash that follows from it',
      NEW.version, NEW.game_id
      USING ERRCODE = 'LL008', DETAIL = NEW.version::text;
  END IF;
  RETURN NEW;
END $$;
"""

# Row by row, check_event costs more than all the rest of a bulk import. So it rests where a trigger inserts,
# which is take_in_staged below and nothing else: that one has checked the same things, of all rows at once.
# To make a trigger takes the owner, who could as well switch check_event off, and who is found out by
# `verify --store` either way.
GUARDS = """
DROP TRIGGER check_event ON lanterlog.events;
CREATE TRIGGER check_event BEFORE INSERT ON lanterlog.events
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION lanterlog.check_event();
ALTER TABLE lanterlog.events ENABLE ALWAYS TRIGGER check_event;
ALTER TABLE lanterlog.events DROP CONSTRAINT events_game_id_fkey;

CREATE FUNCTION lanterlog.keep_game() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  IF (OLD.game_id, OLD.kind, OLD.game, OLD.mode, OLD.created_at)
    IS NOT DISTINCT FROM (NEW.game_id, NEW.kind, NEW.game, NEW.mode, NEW.created_at)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'update of games refused: what a game is stays' USING ERRCODE = 'LL006';
END $$;
CREATE TRIGGER keep_game BEFORE UPDATE OF game_id, kind, game, mode, created_at ON lanterlog.games
  FOR EACH ROW EXECUTE FUNCTION lanterlog.keep_game();
CREATE TRIGGER refuse_change BEFORE DELETE ON lanterlog.games
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON lanterlog.games
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.refuse_change();
ALTER TABLE lanterlog.games ENABLE ALWAYS TRIGGER keep_game;
ALTER TABLE lanterlog.games ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE lanterlog.games ENABLE ALWAYS TRIGGER refuse_truncate;
"""

# A batch is whole games. Every chain is worked out again: the link, the hash and the time of each event; the
# head; and that there is no row besides. Then the new games go in; of those that are here nothing is written.
TAKE_IN = """
CREATE FUNCTION lanterlog.take_in_staged() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_batch uuid;
  v_count bigint;
  v_bad record;
BEGIN
  IF NOT EXISTS (SELECT FROM added) THEN
    RETURN NULL;
  END IF;
  SELECT n.batch_id, sum(n.version) INTO STRICT v_batch, v_count FROM added n GROUP BY n.batch_id;
  SELECT s.* INTO v_bad FROM (
    SELECT l.game_id, l.version, l.place,
      l.recorded_at < l.before OR NOT isfinite(l.recorded_at) AS is_early,
      l.hash IS DISTINCT FROM event_hash(l.game_id, l.version,
        coalesce(l.previous, decode(repeat('00', 32), 'hex')), l.recorded_at, l.recorded_by,
        inner_hash(l.salt, l.body::text)) AS is_wrong
    FROM (
      SELECT s.*, row_number() OVER chain AS place, lag(s.hash) OVER chain AS previous,
        lag(s.recorded_at) OVER chain AS before
      FROM staged_events s WHERE s.batch_id = v_batch
      WINDOW chain AS (PARTITION BY s.game_id ORDER BY s.version)
    ) l
  ) s
  WHERE s.version <> s.place OR s.is_early OR s.is_wrong
  ORDER BY s.game_id, s.version LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'version % of game % cannot stand where it stands', v_bad.version, v_bad.game_id
      USING DETAIL = v_bad.version::text, ERRCODE = CASE
        WHEN v_bad.version <> v_bad.place THEN 'LL007' WHEN v_bad.is_early THEN 'LL009' ELSE 'LL008'
      END;
  END IF;
  IF v_count <> (SELECT count(*) FROM staged_events s WHERE s.batch_id = v_batch) OR EXISTS (
    SELECT FROM added n
    LEFT JOIN staged_events s
      ON s.batch_id = v_batch AND s.game_id = n.game_id AND s.version = n.version
    WHERE n.head IS DISTINCT FROM CASE n.version
      WHEN 0 THEN decode(repeat('00', 32), 'hex') ELSE s.hash END
  ) THEN
    RAISE EXCEPTION 'batch % does not end with the heads that it names', v_batch
      USING ERRCODE = 'LL014';
  END IF;

  INSERT INTO games
    SELECT n.game_id, n.kind, n.game, n.mode, n.visibility, n.version, n.head, n.created_at,
      coalesce(s.recorded_at, n.created_at)
    FROM added n
    LEFT JOIN staged_events s
      ON s.batch_id = v_batch AND s.game_id = n.game_id AND s.version = n.version
    WHERE n.is_new;
  INSERT INTO events (game_id, version, recorded_at, recorded_by, salt, hash, body)
    SELECT s.game_id, s.version, s.recorded_at, s.recorded_by, s.salt, s.hash, s.body
    FROM staged_events s JOIN added n ON n.game_id = s.game_id AND n.is_new
    WHERE s.batch_id = v_batch;
  INSERT INTO imports (game_id, imported_by, version)
    SELECT n.game_id, n.imported_by, n.version FROM added n WHERE n.is_new;
  INSERT INTO outbox (game_id, version)
    SELECT n.game_id, n.version FROM added n WHERE n.is_new AND n.version > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER take_in AFTER INSERT ON lanterlog.staged_games
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.take_in_staged();
ALTER TABLE lanterlog.staged_games ENABLE ALWAYS TRIGGER take_in;

CREATE FUNCTION lanterlog.import_staged(
  p_batch_id uuid, p_imported_by uuid, p_game_ids uuid[], p_kinds text[], p_games text[],
  p_modes text[], p_visibilities text[], p_versions integer[], p_heads bytea[],
  p_created_at timestamptz[],
  p_text_games uuid[], p_text_versions integer[], p_text_salts bytea[], p_texts text[]
) RETURNS TABLE (game_id uuid, outcome text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO staged_games
    SELECT p_batch_id, h.id, h.kind, h.game, h.mode, h.visibility, h.version, h.head, h.created_at,
      p_imported_by, NOT EXISTS (SELECT FROM games g WHERE g.game_id = h.id)
    FROM unnest(p_game_ids, p_kinds, p_games, p_modes, p_visibilities, p_versions, p_heads,
      p_created_at) AS h (id, kind, game, mode, visibility, version, head, created_at);
  INSERT INTO texts (game_id, version, salt, text)
    SELECT t.game_id, t.version, t.salt, t.text
    FROM unnest(p_text_games, p_text_versions, p_text_salts, p_texts)
      AS t (game_id, version, salt, text)
    JOIN staged_games n
      ON n.batch_id = p_batch_id AND n.game_id = t.game_id AND n.is_new
      AND t.version BETWEEN 1 AND n.version;
  RETURN QUERY
    SELECT n.game_id, CASE
        WHEN n.is_new THEN 'imported'
        WHEN g.version = n.version AND g.head = n.head THEN 'present'
        ELSE 'other'
      END
    FROM staged_games n JOIN games g ON g.game_id = n.game_id
    WHERE n.batch_id = p_batch_id;
END $$;

-- Waits for the transactions that are staging. What they leave behind when they end is done with.
CREATE FUNCTION lanterlog.clear_staging() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  TRUNCATE staged_events, staged_games;
END $$;
"""

RIGHTS = """
REVOKE ALL ON lanterlog.staged_events, lanterlog.staged_games FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION
  lanterlog.keep_game, lanterlog.take_in_staged, lanterlog.import_staged, lanterlog.clear_staging
  FROM PUBLIC;
GRANT INSERT ON lanterlog.staged_events TO {app};
GRANT EXECUTE ON FUNCTION lanterlog.import_staged, lanterlog.clear_staging TO {app};
"""

DOWN = """
DROP FUNCTION lanterlog.import_staged, lanterlog.clear_staging;
DROP TABLE lanterlog.staged_games, lanterlog.staged_events;
DROP FUNCTION lanterlog.take_in_staged;
DROP TRIGGER keep_game ON lanterlog.games;
DROP TRIGGER refuse_change ON lanterlog.games;
DROP TRIGGER refuse_truncate ON lanterlog.games;
DROP FUNCTION lanterlog.keep_game;
DROP TRIGGER check_event ON lanterlog.events;
CREATE TRIGGER check_event BEFORE INSERT ON lanterlog.events
  FOR EACH ROW EXECUTE FUNCTION lanterlog.check_event();
ALTER TABLE lanterlog.events ENABLE ALWAYS TRIGGER check_event;
ALTER TABLE lanterlog.events ADD CONSTRAINT events_game_id_fkey
  FOREIGN KEY (game_id) REFERENCES lanterlog.games (game_id);
"""


def upgrade() -> None:
    for part in (STAGING, CHECK_EVENT, GUARDS, TAKE_IN, _with_roles(RIGHTS)):
        op.execute(part)


def downgrade() -> None:
    op.execute(DOWN)


def _with_roles(sql: str) -> str:
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    return sql.format(app=quote(roles.app))
