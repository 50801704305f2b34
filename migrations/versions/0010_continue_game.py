"""Parts of games: one more function, which takes in what comes after what is here.

Locks nothing but the row of the game that goes on. Only a game that was imported, and that nobody has recorded
in since, can go on so: whoever may import must not be able to act at a table here past its referee.

    LL015 a part that does not go on from what is here
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# The arrays hold the events after p_after. Those that are here already are passed over, and the trigger on
# events works out every link of the others.
CONTINUE = """
CREATE FUNCTION lanterlog.continue_game(
  p_game_id uuid, p_after integer, p_previous bytea, p_times timestamptz[], p_recorders uuid[],
  p_salts bytea[], p_hashes bytea[], p_bodies text[],
  p_text_offsets integer[], p_text_salts bytea[], p_texts text[]
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_last integer := p_after + cardinality(p_hashes);
  v_version integer;
  v_same integer;
  v_here bytea;
  v_offsets integer[];
  v_salts bytea[];
  v_texts text[];
BEGIN
  SELECT g.version INTO v_version FROM games g WHERE g.game_id = p_game_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no game %', p_game_id USING ERRCODE = 'LL003';
  END IF;
  IF v_version < p_after THEN
    RAISE EXCEPTION 'game % is here up to version % only, expected %', p_game_id, v_version, p_after
      USING ERRCODE = 'LL015', DETAIL = v_version::text;
  END IF;
  v_same := least(v_version, v_last);
  SELECT e.hash INTO v_here FROM events e WHERE e.game_id = p_game_id AND e.version = v_same;
  IF coalesce(v_here, decode(repeat('00', 32), 'hex')) IS DISTINCT FROM
    (CASE v_same WHEN p_after THEN p_previous ELSE p_hashes[v_same - p_after] END)
  THEN
    RAISE EXCEPTION 'game % is here at version % with another head', p_game_id, v_version
      USING ERRCODE = 'LL010', DETAIL = v_version::text;
  END IF;
  IF v_same = v_last THEN
    RETURN 0;
  END IF;
  IF NOT EXISTS (
    SELECT FROM imports i WHERE i.game_id = p_game_id AND i.version = v_version
  ) THEN
    RAISE EXCEPTION 'game % is recorded here, expected one that came by an import', p_game_id
      USING ERRCODE = 'LL015', DETAIL = v_version::text;
  END IF;

  INSERT INTO events (game_id, version, recorded_at, recorded_by, salt, hash, body)
    SELECT p_game_id, p_after + e.place, e.at, e.recorder, e.salt, e.hash, e.body::json
    FROM unnest(p_times, p_recorders, p_salts, p_hashes, p_bodies) WITH ORDINALITY
      AS e (at, recorder, salt, hash, body, place)
    WHERE p_after + e.place > v_same
    ORDER BY e.place;
  SELECT array_agg(t.at), array_agg(t.salt), array_agg(t.text) INTO v_offsets, v_salts, v_texts
    FROM unnest(p_text_offsets, p_text_salts, p_texts) AS t (at, salt, text)
    WHERE p_after + 1 + t.at > v_same;
  IF cardinality(v_texts) > 0 THEN
    PERFORM put_texts(p_game_id, p_after + 1, v_last, v_offsets, v_salts, v_texts);
  END IF;
  UPDATE games SET version = v_last, head = p_hashes[v_last - p_after],
    changed_at = p_times[v_last - p_after] WHERE game_id = p_game_id;
  UPDATE imports SET version = v_last WHERE game_id = p_game_id;
  INSERT INTO outbox (game_id, version) VALUES (p_game_id, v_last);
  RETURN v_last - v_same;
END $$;
"""

RIGHTS = """
REVOKE EXECUTE ON FUNCTION lanterlog.continue_game FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lanterlog.continue_game TO {app};
"""


def upgrade() -> None:
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    op.execute(CONTINUE)
    op.execute(RIGHTS.format(app=quote(op.get_context().opts["roles"].app)))


def downgrade() -> None:
    op.execute("DROP FUNCTION lanterlog.continue_game")
