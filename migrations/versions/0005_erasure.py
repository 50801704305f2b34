"""Erasure: the store remembers whose names and which texts are gone, and lets none of them in again.

Locks people and texts against everything, for an instant. The planner's samples of names and texts are
thrown away and never taken again: they are copies, in a catalogue that no VACUUM of a table of ours rewrites.
Going down is refused while anything is erased, since an old export would bring it back.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE lanterlog.erased_people (
  player_id uuid NOT NULL,
  erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT erased_people_pkey PRIMARY KEY (player_id)
);
COMMENT ON TABLE lanterlog.erased_people IS
  'Whose names are gone and must not come back, by the ids that the logs hold.';

CREATE TABLE lanterlog.erased_texts (
  game_id uuid NOT NULL,
  version integer NOT NULL,
  erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT erased_texts_pkey PRIMARY KEY (game_id, version)
);
COMMENT ON TABLE lanterlog.erased_texts IS 'Which texts are gone and must not come back.';
"""

# On the tables, not in the functions: whatever way in there will ever be, it leads past here. A trigger's
# statement sees what was committed until it runs, and it runs under the table's lock, for which erasing waits.
TRIGGERS = """
CREATE FUNCTION lanterlog.pass_over_erased_person() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM erased_people p WHERE p.player_id = NEW.player_id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION lanterlog.pass_over_erased_text() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_seat text;
  v_seats json;
  v_recorder uuid;
BEGIN
  IF EXISTS (
    SELECT FROM erased_texts t WHERE t.game_id = NEW.game_id AND t.version = NEW.version
  ) THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM erased_people) THEN
    RETURN NEW;
  END IF;
  SELECT e.body ->> 'seat', o.body -> 'seats', e.recorded_by INTO v_seat, v_seats, v_recorder
    FROM events e JOIN events o ON o.game_id = e.game_id AND o.version = 1
    WHERE e.game_id = NEW.game_id AND e.version = NEW.version;
  IF EXISTS (
    SELECT FROM erased_people p WHERE p.player_id = v_recorder
      OR (v_seat ~ '^[0-7]$' AND p.player_id::text = v_seats ->> v_seat::integer)
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER pass_over_erased BEFORE INSERT OR UPDATE ON lanterlog.people
  FOR EACH ROW EXECUTE FUNCTION lanterlog.pass_over_erased_person();
CREATE TRIGGER pass_over_erased BEFORE INSERT OR UPDATE ON lanterlog.texts
  FOR EACH ROW EXECUTE FUNCTION lanterlog.pass_over_erased_text();
ALTER TABLE lanterlog.people ENABLE ALWAYS TRIGGER pass_over_erased;
ALTER TABLE lanterlog.texts ENABLE ALWAYS TRIGGER pass_over_erased;
"""

# As in 0001, but in PL/pgSQL: a body of standard SQL would hold on to the column that is altered below.
ENSURE_PEOPLE = """
CREATE OR REPLACE FUNCTION lanterlog.ensure_people(p_ids uuid[], p_names text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  INSERT INTO people (player_id, name)
    SELECT p.id, p.name FROM unnest(p_ids, p_names) AS p (id, name)
    ON CONFLICT DO NOTHING;
END $$;
"""

# Setting the type that a column has rewrites nothing, and drops the samples of its values.
SAMPLES = """
ALTER TABLE lanterlog.people
  ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN name TYPE text;
ALTER TABLE lanterlog.texts
  ALTER COLUMN text SET STATISTICS 0, ALTER COLUMN text TYPE text;
"""

RIGHTS = """
REVOKE ALL ON lanterlog.erased_people, lanterlog.erased_texts FROM PUBLIC;
GRANT SELECT ON lanterlog.erased_people, lanterlog.erased_texts TO {app}, {worker};
REVOKE EXECUTE ON FUNCTION
  lanterlog.pass_over_erased_person, lanterlog.pass_over_erased_text FROM PUBLIC;
"""

REFUSE_LOSS = """
DO $$
BEGIN
  IF EXISTS (SELECT FROM lanterlog.erased_people) OR EXISTS (SELECT FROM lanterlog.erased_texts) THEN
    RAISE EXCEPTION 'people are erased: going below 0005 would let them come back'
      USING ERRCODE = 'LL006';
  END IF;
END $$;
"""

DOWN = """
ALTER TABLE lanterlog.people ALTER COLUMN name SET STATISTICS -1;
ALTER TABLE lanterlog.texts ALTER COLUMN text SET STATISTICS -1;
CREATE OR REPLACE FUNCTION lanterlog.ensure_people(p_ids uuid[], p_names text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp
BEGIN ATOMIC
  INSERT INTO lanterlog.people (player_id, name)
    SELECT p.id, p.name FROM unnest(p_ids, p_names) AS p (id, name)
    ON CONFLICT DO NOTHING;
END;
DROP TRIGGER pass_over_erased ON lanterlog.people;
DROP TRIGGER pass_over_erased ON lanterlog.texts;
DROP FUNCTION lanterlog.pass_over_erased_person, lanterlog.pass_over_erased_text;
DROP TABLE lanterlog.erased_people, lanterlog.erased_texts;
"""


def upgrade() -> None:
    for part in (TABLES, TRIGGERS, ENSURE_PEOPLE, SAMPLES, _with_roles(RIGHTS)):
        op.execute(part)


def downgrade() -> None:
    for part in (REFUSE_LOSS, DOWN):
        op.execute(part)


def _with_roles(sql: str) -> str:
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    return sql.format(app=quote(roles.app), worker=quote(roles.worker))
