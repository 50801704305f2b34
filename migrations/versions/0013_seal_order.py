"""Sealing: a dispute never comes into the ledger before the log that it is about.

Gives one function another body, and locks nothing; what was sealed before stays as it is.
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# As in 0002, but for how the rows are {taken}.
SEAL = """
CREATE OR REPLACE FUNCTION lanterlog.seal(p_limit integer) RETURNS TABLE (
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
{taken}
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

# A dispute is opened about what was committed before it: its game's rows are here by now, or sealed.
TAKEN = """
    WITH waiting AS MATERIALIZED (
      (SELECT 1 AS turn, o.game_id, o.version FROM outbox o WHERE o.game_id > v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
      UNION ALL
      (SELECT 2, o.game_id, o.version FROM outbox o WHERE o.game_id <= v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
    )
    SELECT t.turn, t.game_id, max(t.version) AS version FROM (
      SELECT turn, game_id, version FROM waiting
      UNION ALL
      SELECT 0, o.game_id, o.version FROM waiting w
        JOIN games d ON d.game_id = w.game_id AND d.kind = 'dispute'
          AND NOT EXISTS (SELECT FROM ledger l WHERE l.game_id = d.game_id)
        JOIN events e ON e.game_id = d.game_id AND e.version = 1 AND e.body ->> 't' = 'dispute_opened'
        JOIN outbox o ON o.game_id = (e.body ->> 'game_id')::uuid
    ) AS t GROUP BY t.turn, t.game_id ORDER BY t.turn, t.game_id"""
BEFORE = """
    SELECT t.turn, t.game_id, max(t.version) AS version FROM (
      (SELECT 1 AS turn, o.game_id, o.version FROM outbox o WHERE o.game_id > v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
      UNION ALL
      (SELECT 2, o.game_id, o.version FROM outbox o WHERE o.game_id <= v_after
        ORDER BY o.game_id, o.version LIMIT p_limit)
    ) AS t GROUP BY t.turn, t.game_id ORDER BY t.turn, t.game_id"""


def upgrade() -> None:
    op.execute(SEAL.replace("{taken}", TAKEN.strip("\n")))


def downgrade() -> None:
    op.execute(SEAL.replace("{taken}", BEFORE.strip("\n")))
