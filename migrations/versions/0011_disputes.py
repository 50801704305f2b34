"""Disputes: found by the game that they are about, and erased texts of theirs stay erased.

A dispute is a stream like any other; what is new are two indexes. Locks events and games against writing while they
are built: that of events reads the whole table once, about two seconds for a million events, and holds nothing but
disputes. The function that passes over erased texts learns for whom an event of a dispute speaks.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

INDEXES = """
CREATE INDEX events_disputed_idx ON lanterlog.events ((body ->> 'game_id'))
  WHERE version = 1 AND body ->> 't' = 'dispute_opened';
CREATE INDEX games_other_kind_idx ON lanterlog.games (kind, game_id) WHERE kind <> 'game';
"""

# As in 0005, and with {more} also by whom an event speaks.
ERASED = """
CREATE OR REPLACE FUNCTION lanterlog.pass_over_erased_text() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_seat text;
  v_seats json;
  v_by text;
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
  SELECT e.body ->> 'seat', o.body -> 'seats', e.body ->> 'by', e.recorded_by
    INTO v_seat, v_seats, v_by, v_recorder
    FROM events e JOIN events o ON o.game_id = e.game_id AND o.version = 1
    WHERE e.game_id = NEW.game_id AND e.version = NEW.version;
  IF EXISTS (
    SELECT FROM erased_people p WHERE p.player_id = v_recorder{more}
      OR (v_seat ~ '^[0-7]$' AND p.player_id::text = v_seats ->> v_seat::integer)
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
"""
BY = "\n      OR p.player_id::text = v_by"


def upgrade() -> None:
    op.execute(INDEXES)
    op.execute(ERASED.replace("{more}", BY))


def downgrade() -> None:
    op.execute("DROP INDEX lanterlog.events_disputed_idx, lanterlog.games_other_kind_idx")
    op.execute(ERASED.replace("{more}", ""))
