"""Sealing: one function moves the outbox into the ledger, and a trigger checks every row of it.

Locks the outbox and the ledger against everything, for as long as it takes to write them anew with one
column more each. Nothing has been sealed before this, so the ledger is empty; the outbox holds a row for
every append so far. Going down is refused once anything is sealed: its hashes cover the time of sealing.

Errors of class LL, besides those of 0001:

    LL012 a ledger row does not follow from the one before, or from its game
    LL013 another session is sealing
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# The outbox is a queue: its dead rows are cleared away by count, not by share of a table that is empty.
COLUMNS = """
ALTER TABLE lanterlog.outbox
  ADD COLUMN appended_at timestamptz NOT NULL DEFAULT clock_timestamp();
ALTER TABLE lanterlog.outbox SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE lanterlog.ledger
  ADD COLUMN sealed_at timestamptz NOT NULL DEFAULT clock_timestamp();
"""

# The twin of events/chain.py, as in 0001.
HASH = """
CREATE FUNCTION lanterlog.ledger_hash(
  "position" bigint, previous bytea, game_id uuid, from_version integer, to_version integer,
  head bytea, sealed_at timestamptz
) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(
  '\\x03'::bytea || int8send("position") || previous || uuid_send(game_id)
  || int4send(from_version) || int4send(to_version) || head
  || int8send((extract(epoch FROM sealed_at) * 1000000)::bigint)
);
"""

TRIGGER = """
CREATE FUNCTION lanterlog.check_ledger() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_position bigint;
  v_hash bytea;
  v_at timestamptz;
  v_version integer;
  v_wrong text;
BEGIN
  SELECT l.position, l.sealed_at,
      ledger_hash(l.position, l.previous, l.game_id, l.from_version, l.to_version, l.head, l.sealed_at)
    INTO v_position, v_at, v_hash
    FROM ledger l ORDER BY l.position DESC LIMIT 1;
  SELECT l.to_version INTO v_version
    FROM ledger l WHERE l.game_id = NEW.game_id ORDER BY l.from_version DESC LIMIT 1;
  v_wrong := CASE
    WHEN NEW.position IS DISTINCT FROM coalesce(v_position, 0) + 1
      THEN format('position, expected %s', coalesce(v_position, 0) + 1)
    WHEN NEW.previous IS DISTINCT FROM coalesce(v_hash, decode(repeat('00', 32), 'hex'))
      THEN 'hash of the row before'
    WHEN NEW.sealed_at IS NULL OR NOT isfinite(NEW.sealed_at) OR NEW.sealed_at < v_at
      THEN 'time'
    WHEN NEW.from_version IS DISTINCT FROM coalesce(v_version, 0) + 1
      THEN format('first version, expected %s', coalesce(v_version, 0) + 1)
    WHEN NOT EXISTS (
      SELECT FROM events e
      WHERE e.game_id = NEW.game_id AND e.version = NEW.to_version AND e.hash = NEW.head
    ) THEN 'head'
  END;
  IF v_wrong IS NOT NULL THEN
    RAISE EXCEPTION 'ledger row % of game %, versions % to %: wrong %',
      NEW.position, NEW.game_id, NEW.from_version, NEW.to_version, v_wrong
      USING ERRCODE = 'LL012';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER check_ledger BEFORE INSERT ON lanterlog.ledger
  FOR EACH ROW EXECUTE FUNCTION lanterlog.check_ledger();
ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER check_ledger;
"""

# Takes rows by game from where the last round stopped, so that hot games cannot keep others waiting.
# Rows of one game become visible in the order of their versions (they commit under its row lock), so what
# one statement sees of a game has no hole. It waits for no appender, since it reads and deletes committed
# rows only, and no appender waits for it.
SEAL = """
CREATE FUNCTION lanterlog.seal(p_limit integer) RETURNS TABLE (
  sealed_rows integer, sealed_events bigint, last_position bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_after uuid;
  v_hash bytea := decode(repeat('00', 32), 'hex');
  v_at timestamptz := '-infinity';
  v_last integer;
  v_head bytea;
  v_take record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('lanterlog'), hashtext('sealer')) THEN
    RAISE EXCEPTION 'another session is sealing' USING ERRCODE = 'LL013';
  END IF;
  sealed_rows := 0;
  sealed_events := 0;
  last_position := 0;
  SELECT l.game_id, l.position, l.sealed_at,
      ledger_hash(l.position, l.previous, l.game_id, l.from_version, l.to_version, l.head, l.sealed_at)
    INTO v_after, last_position, v_at, v_hash
    FROM ledger l ORDER BY l.position DESC LIMIT 1;
  IF NOT FOUND THEN
    v_after := '00000000-0000-0000-0000-000000000000';
    last_position := 0;
    v_at := '-infinity';
    v_hash := decode(repeat('00', 32), 'hex');
  END IF;
  v_at := greatest(v_at, clock_timestamp());

  FOR v_take IN
    SELECT t.turn, t.game_id, max(t.version) AS version FROM (
      (SELECT 1 AS turn, o.game_id, o.version FROM outbox o WHERE o.game_id > v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
      UNION ALL
      (SELECT 2, o.game_id, o.version FROM outbox o WHERE o.game_id <= v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
    ) AS t GROUP BY t.turn, t.game_id ORDER BY t.turn, t.game_id
  LOOP
    SELECT l.to_version INTO v_last
      FROM ledger l WHERE l.game_id = v_take.game_id ORDER BY l.from_version DESC LIMIT 1;
    v_last := coalesce(v_last, 0);
    IF v_take.version > v_last THEN
      SELECT e.hash INTO STRICT v_head
        FROM events e WHERE e.game_id = v_take.game_id AND e.version = v_take.version;
      last_position := last_position + 1;
      INSERT INTO ledger (position, game_id, from_version, to_version, head, previous, sealed_at)
        VALUES (last_position, v_take.game_id, v_last + 1, v_take.version, v_head, v_hash, v_at);
      v_hash := ledger_hash(
        last_position, v_hash, v_take.game_id, v_last + 1, v_take.version, v_head, v_at);
      sealed_rows := sealed_rows + 1;
      sealed_events := sealed_events + v_take.version - v_last;
    END IF;
    DELETE FROM outbox o WHERE o.game_id = v_take.game_id AND o.version <= v_take.version;
  END LOOP;
  RETURN NEXT;
END $$;
"""

RIGHTS = """
REVOKE EXECUTE ON FUNCTION
  lanterlog.ledger_hash, lanterlog.check_ledger, lanterlog.seal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lanterlog.ledger_hash TO {app}, {worker};
GRANT EXECUTE ON FUNCTION lanterlog.seal TO {worker};
REVOKE INSERT ON lanterlog.ledger FROM {worker};
REVOKE DELETE ON lanterlog.outbox FROM {worker};
"""

REFUSE_LOSS = """
DO $$
BEGIN
  IF EXISTS (SELECT FROM lanterlog.ledger) THEN
    RAISE EXCEPTION 'events are sealed: going below 0002 would break the chain of the ledger'
      USING ERRCODE = 'LL006';
  END IF;
END $$;
"""

DOWN = """
GRANT INSERT ON lanterlog.ledger TO {worker};
GRANT DELETE ON lanterlog.outbox TO {worker};
DROP FUNCTION lanterlog.seal;
DROP TRIGGER check_ledger ON lanterlog.ledger;
DROP FUNCTION lanterlog.check_ledger;
DROP FUNCTION lanterlog.ledger_hash;
ALTER TABLE lanterlog.ledger DROP COLUMN sealed_at;
ALTER TABLE lanterlog.outbox RESET (
  autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_vacuum_cost_delay
);
ALTER TABLE lanterlog.outbox DROP COLUMN appended_at;
"""


def upgrade() -> None:
    for part in (COLUMNS, HASH, TRIGGER, SEAL, _with_roles(RIGHTS)):
        op.execute(part)


def downgrade() -> None:
    op.execute(REFUSE_LOSS)
    op.execute(_with_roles(DOWN))


def _with_roles(sql: str) -> str:
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    return sql.format(app=quote(roles.app), worker=quote(roles.worker))
