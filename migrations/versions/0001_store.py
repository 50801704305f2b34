"""The store: games, their events, and everything that keeps them append-only.

Locks nothing that is in use: it only creates. Going down drops the store, and therefore refuses to
run while a single event is stored.

The SQL below is frozen: a later change of a table or function is a later migration. Errors that the
functions raise on purpose have a SQLSTATE of class LL, which `events.store` turns into types:

    LL001 stale version (DETAIL: the current one)     LL006 append-only: the row stays as it is
    LL002 command id used for another request         LL007 version does not follow the one before
    LL003 unknown game                                LL008 hash does not follow from the event
    LL004 no version left in this game                LL009 time lies before the event before
    LL005 malformed request                           LL010 the game is here with another head
"""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE lanterlog.games (
  game_id uuid NOT NULL,
  kind text NOT NULL,
  game text NOT NULL,
  mode text NOT NULL,
  visibility text NOT NULL,
  version integer NOT NULL,
  head bytea NOT NULL,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT games_pkey PRIMARY KEY (game_id),
  CONSTRAINT games_kind_check CHECK (kind IN ('game', 'dispute', 'admin')),
  CONSTRAINT games_mode_check CHECK (mode IN ('refereed', 'recorded')),
  CONSTRAINT games_visibility_check CHECK (visibility IN ('public', 'unlisted', 'private')),
  CONSTRAINT games_version_check CHECK (version >= 0),
  CONSTRAINT games_head_check CHECK (octet_length(head) = 32)
) WITH (fillfactor = 70);
COMMENT ON TABLE lanterlog.games IS 'One row a stream: what it is, and its head.';

CREATE TABLE lanterlog.events (
  game_id uuid NOT NULL,
  version integer NOT NULL,
  recorded_at timestamptz NOT NULL,
  recorded_by uuid NOT NULL,
  salt bytea NOT NULL,
  hash bytea NOT NULL,
  body json NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (game_id, version),
  CONSTRAINT events_game_id_fkey FOREIGN KEY (game_id) REFERENCES lanterlog.games (game_id),
  CONSTRAINT events_version_check CHECK (version >= 1),
  CONSTRAINT events_salt_check CHECK (octet_length(salt) = 16),
  CONSTRAINT events_hash_check CHECK (octet_length(hash) = 32)
);
COMMENT ON TABLE lanterlog.events IS
  'What happened, append-only: body::text are the very bytes that were hashed.';

CREATE TABLE lanterlog.commands (
  game_id uuid NOT NULL,
  command_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  first_version integer NOT NULL,
  last_version integer NOT NULL,
  recorded_at timestamptz NOT NULL,
  CONSTRAINT commands_pkey PRIMARY KEY (game_id, command_id),
  CONSTRAINT commands_game_id_fkey FOREIGN KEY (game_id) REFERENCES lanterlog.games (game_id),
  CONSTRAINT commands_request_hash_check CHECK (octet_length(request_hash) = 32),
  CONSTRAINT commands_versions_check CHECK (first_version BETWEEN 1 AND last_version)
);
COMMENT ON TABLE lanterlog.commands IS
  'Which append answered which request, so that a retry gets the first answer.';

CREATE TABLE lanterlog.texts (
  game_id uuid NOT NULL,
  version integer NOT NULL,
  salt bytea NOT NULL,
  text text NOT NULL,
  CONSTRAINT texts_pkey PRIMARY KEY (game_id, version),
  CONSTRAINT texts_game_id_fkey FOREIGN KEY (game_id) REFERENCES lanterlog.games (game_id),
  CONSTRAINT texts_salt_check CHECK (octet_length(salt) = 16)
);
COMMENT ON TABLE lanterlog.texts IS
  'Free text beside the log: its event holds SHA-256(0x02 || salt || text).';

CREATE TABLE lanterlog.people (
  player_id uuid NOT NULL,
  name text NOT NULL,
  CONSTRAINT people_pkey PRIMARY KEY (player_id)
);
COMMENT ON TABLE lanterlog.people IS 'Names beside the log: labels, not evidence.';

CREATE TABLE lanterlog.imports (
  game_id uuid NOT NULL,
  imported_by uuid NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  version integer NOT NULL,
  CONSTRAINT imports_pkey PRIMARY KEY (game_id),
  CONSTRAINT imports_game_id_fkey FOREIGN KEY (game_id) REFERENCES lanterlog.games (game_id)
);
COMMENT ON TABLE lanterlog.imports IS
  'Who brought in a game with its chain, when, and up to which version.';

CREATE TABLE lanterlog.outbox (
  game_id uuid NOT NULL,
  version integer NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (game_id, version)
);
COMMENT ON TABLE lanterlog.outbox IS
  'One row an append, its last version, until the sealer has taken it into the ledger.';

CREATE TABLE lanterlog.ledger (
  position bigint NOT NULL,
  game_id uuid NOT NULL,
  from_version integer NOT NULL,
  to_version integer NOT NULL,
  head bytea NOT NULL,
  previous bytea NOT NULL,
  CONSTRAINT ledger_pkey PRIMARY KEY (position),
  CONSTRAINT ledger_game_id_from_version_key UNIQUE (game_id, from_version),
  CONSTRAINT ledger_position_check CHECK (position >= 1),
  CONSTRAINT ledger_versions_check CHECK (from_version BETWEEN 1 AND to_version),
  CONSTRAINT ledger_head_check CHECK (octet_length(head) = 32),
  CONSTRAINT ledger_previous_check CHECK (octet_length(previous) = 32)
);
COMMENT ON TABLE lanterlog.ledger IS
  'All games in one order without gaps: the only feed across games.';
"""

# The twins of events/chain.py. They have no search_path of their own, so that PostgreSQL can inline
# them; every caller below has one. int8send and its like are big-endian.
HASHES = """
CREATE FUNCTION lanterlog.inner_hash(salt bytea, body text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256('\\x01'::bytea || salt || convert_to(body, 'UTF8'));

CREATE FUNCTION lanterlog.event_hash(
  game_id uuid, version integer, previous bytea, recorded_at timestamptz, recorded_by uuid,
  inner_hash bytea
) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(
  '\\x00'::bytea || uuid_send(game_id) || int4send(version) || previous
  || int8send((extract(epoch FROM recorded_at) * 1000000)::bigint) || uuid_send(recorded_by)
  || inner_hash
);
"""

TRIGGERS = """
CREATE FUNCTION lanterlog.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% of % refused: it is append-only', lower(TG_OP), TG_TABLE_NAME
    USING ERRCODE = 'LL006';
END $$;

CREATE FUNCTION lanterlog.refuse_young_command() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  IF OLD.recorded_at < clock_timestamp() - interval '1 month' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'delete of a command younger than a month refused' USING ERRCODE = 'LL006';
END $$;

CREATE FUNCTION lanterlog.check_event() RETURNS trigger
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

CREATE TRIGGER check_event BEFORE INSERT ON lanterlog.events
  FOR EACH ROW EXECUTE FUNCTION lanterlog.check_event();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON lanterlog.events
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON lanterlog.events
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE ON lanterlog.commands
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_young_command BEFORE DELETE ON lanterlog.commands
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_young_command();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON lanterlog.commands
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON lanterlog.ledger
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON lanterlog.ledger
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.refuse_change();

-- ALWAYS: also where session_replication_role = replica lets ordinary triggers rest.
ALTER TABLE lanterlog.events ENABLE ALWAYS TRIGGER check_event;
ALTER TABLE lanterlog.events ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE lanterlog.events ENABLE ALWAYS TRIGGER refuse_truncate;
ALTER TABLE lanterlog.commands ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE lanterlog.commands ENABLE ALWAYS TRIGGER refuse_young_command;
ALTER TABLE lanterlog.commands ENABLE ALWAYS TRIGGER refuse_truncate;
ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE lanterlog.ledger ENABLE ALWAYS TRIGGER refuse_truncate;
"""

# The head's row lock orders everything that happens to one game. FOR NO KEY UPDATE is enough for
# that and lets foreign key checks pass.
FUNCTIONS = """
CREATE FUNCTION lanterlog.open_game(
  p_game_id uuid, p_kind text, p_game text, p_mode text, p_visibility text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();  -- once: a new game has not changed since it was made
BEGIN
  INSERT INTO games VALUES (p_game_id, p_kind, p_game, p_mode, p_visibility, 0,
    decode(repeat('00', 32), 'hex'), v_now, v_now)
    ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

CREATE FUNCTION lanterlog.lock_head(p_game_id uuid) RETURNS SETOF lanterlog.games
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT * FROM games g WHERE g.game_id = p_game_id FOR NO KEY UPDATE;
END $$;

CREATE FUNCTION lanterlog.append_events(
  p_game_id uuid, p_expected_version integer, p_command_id uuid, p_request_hash bytea,
  p_recorded_by uuid, p_bodies text[],
  p_text_offsets integer[], p_text_salts bytea[], p_texts text[]
) RETURNS TABLE (
  first_version integer, last_version integer, head bytea, recorded_at timestamptz, repeated boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_count integer := coalesce(cardinality(p_bodies), 0);
  v_first integer;
  v_version integer;
  v_head bytea;
  v_at timestamptz;
  v_request_hash bytea;
  v_salt bytea;
  v_body text;
BEGIN
  SELECT g.version, g.head, g.changed_at INTO v_version, v_head, v_at
    FROM games g WHERE g.game_id = p_game_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no game %', p_game_id USING ERRCODE = 'LL003';
  END IF;

  -- A statement of its own: its snapshot is taken after the wait for the lock, so a retry that
  -- waited for its own first call sees what that call did.
  SELECT c.request_hash, c.first_version, c.last_version INTO v_request_hash, v_first, v_count
    FROM commands c WHERE c.game_id = p_game_id AND c.command_id = p_command_id;
  IF FOUND THEN
    IF v_request_hash IS DISTINCT FROM p_request_hash THEN
      RAISE EXCEPTION 'command % of game % was another request', p_command_id, p_game_id
        USING ERRCODE = 'LL002';
    END IF;
    RETURN QUERY SELECT v_first, e.version, e.hash, e.recorded_at, true
      FROM events e WHERE e.game_id = p_game_id AND e.version = v_count;
    RETURN;
  END IF;

  IF p_expected_version <> v_version THEN
    RAISE EXCEPTION 'game % is at version %, not %', p_game_id, v_version, p_expected_version
      USING ERRCODE = 'LL001', DETAIL = v_version::text;
  END IF;
  v_count := coalesce(cardinality(p_bodies), 0);
  IF v_count = 0 THEN
    RAISE EXCEPTION 'nothing to append to game %', p_game_id USING ERRCODE = 'LL005';
  END IF;
  IF v_version > 2147483647 - v_count THEN
    RAISE EXCEPTION 'game % has no version left for % more events after %',
      p_game_id, v_count, v_version USING ERRCODE = 'LL004', DETAIL = v_version::text;
  END IF;

  v_first := v_version + 1;
  v_at := greatest(v_at, clock_timestamp());
  FOREACH v_body IN ARRAY p_bodies LOOP
    v_version := v_version + 1;
    v_salt := uuid_send(gen_random_uuid());
    v_head := event_hash(p_game_id, v_version, v_head, v_at, p_recorded_by,
      inner_hash(v_salt, v_body));
    INSERT INTO events (game_id, version, recorded_at, recorded_by, salt, hash, body)
      VALUES (p_game_id, v_version, v_at, p_recorded_by, v_salt, v_head, v_body::json);
  END LOOP;
  IF cardinality(p_texts) > 0 THEN
    PERFORM put_texts(p_game_id, v_first, v_version, p_text_offsets, p_text_salts, p_texts);
  END IF;
  UPDATE games SET version = v_version, head = v_head, changed_at = v_at
    WHERE game_id = p_game_id;
  INSERT INTO commands (game_id, command_id, request_hash, first_version, last_version, recorded_at)
    VALUES (p_game_id, p_command_id, p_request_hash, v_first, v_version, v_at);
  INSERT INTO outbox (game_id, version) VALUES (p_game_id, v_version);
  RETURN QUERY SELECT v_first, v_version, v_head, v_at, false;
END $$;

-- Offsets count from the first of the events between the two versions, which are 0 and up.
CREATE FUNCTION lanterlog.put_texts(
  p_game_id uuid, p_first integer, p_last integer,
  p_offsets integer[], p_salts bytea[], p_texts text[]
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  IF NOT (0 <= ALL (p_offsets) AND p_last - p_first >= ALL (p_offsets)) THEN
    RAISE EXCEPTION 'a text of game % belongs to no event between % and %',
      p_game_id, p_first, p_last USING ERRCODE = 'LL005';
  END IF;
  INSERT INTO texts (game_id, version, salt, text)
    SELECT p_game_id, p_first + t.at, t.salt, t.text
    FROM unnest(p_offsets, p_salts, p_texts) AS t (at, salt, text);
END $$;

-- The arrays hold events 1, 2, 3 and so on; the trigger on events recomputes every link.
CREATE FUNCTION lanterlog.import_game(
  p_game_id uuid, p_kind text, p_game text, p_mode text, p_visibility text,
  p_created_at timestamptz, p_times timestamptz[], p_recorders uuid[], p_salts bytea[],
  p_hashes bytea[], p_bodies text[],
  p_text_offsets integer[], p_text_salts bytea[], p_texts text[], p_imported_by uuid
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_count integer := coalesce(cardinality(p_hashes), 0);
  v_head bytea := coalesce(p_hashes[v_count], decode(repeat('00', 32), 'hex'));
  v_version integer;
  v_here bytea;
BEGIN
  INSERT INTO games VALUES (p_game_id, p_kind, p_game, p_mode, p_visibility, v_count, v_head,
    p_created_at, coalesce(p_times[v_count], p_created_at))
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    SELECT g.version, g.head INTO v_version, v_here FROM games g WHERE g.game_id = p_game_id;
    IF v_version <> v_count OR v_here <> v_head THEN
      RAISE EXCEPTION 'game % is here at version % with another head', p_game_id, v_version
        USING ERRCODE = 'LL010', DETAIL = v_version::text;
    END IF;
    RETURN false;
  END IF;

  INSERT INTO events (game_id, version, recorded_at, recorded_by, salt, hash, body)
    SELECT p_game_id, e.version, e.at, e.recorder, e.salt, e.hash, e.body::json
    FROM unnest(p_times, p_recorders, p_salts, p_hashes, p_bodies) WITH ORDINALITY
      AS e (at, recorder, salt, hash, body, version)
    ORDER BY e.version;
  IF cardinality(p_texts) > 0 THEN
    PERFORM put_texts(p_game_id, 1, v_count, p_text_offsets, p_text_salts, p_texts);
  END IF;
  INSERT INTO imports (game_id, imported_by, version) VALUES (p_game_id, p_imported_by, v_count);
  IF v_count > 0 THEN
    INSERT INTO outbox (game_id, version) VALUES (p_game_id, v_count);
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION lanterlog.ensure_people(p_ids uuid[], p_names text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp
BEGIN ATOMIC
  INSERT INTO lanterlog.people (player_id, name)
    SELECT p.id, p.name FROM unnest(p_ids, p_names) AS p (id, name)
    ON CONFLICT DO NOTHING;
END;

CREATE FUNCTION lanterlog.prune_commands() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_count bigint;
BEGIN
  DELETE FROM commands c WHERE c.recorded_at < clock_timestamp() - interval '1 month';
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;
"""

RIGHTS = """
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA lanterlog FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA lanterlog FROM PUBLIC;
REVOKE ALL ON SCHEMA lanterlog FROM PUBLIC;
GRANT USAGE ON SCHEMA lanterlog TO {app}, {worker};
GRANT SELECT ON ALL TABLES IN SCHEMA lanterlog TO {app}, {worker};
GRANT INSERT ON lanterlog.ledger TO {worker};
GRANT DELETE ON lanterlog.outbox TO {worker};
GRANT EXECUTE ON FUNCTION
  lanterlog.inner_hash, lanterlog.event_hash TO {app}, {worker};
GRANT EXECUTE ON FUNCTION
  lanterlog.open_game, lanterlog.lock_head, lanterlog.append_events, lanterlog.import_game,
  lanterlog.ensure_people TO {app};
GRANT EXECUTE ON FUNCTION lanterlog.prune_commands TO {worker};
"""

REFUSE_LOSS = """
DO $$
BEGIN
  IF EXISTS (SELECT FROM lanterlog.events) THEN
    RAISE EXCEPTION 'events are stored: going below 0001 would lose them' USING ERRCODE = 'LL006';
  END IF;
END $$;
"""

DROPS = """
REVOKE USAGE ON SCHEMA lanterlog FROM {app}, {worker};
REVOKE ALL ON ALL TABLES IN SCHEMA lanterlog FROM {app}, {worker};
DROP FUNCTION
  lanterlog.open_game, lanterlog.lock_head, lanterlog.append_events, lanterlog.put_texts,
  lanterlog.import_game, lanterlog.ensure_people, lanterlog.prune_commands;
DROP TABLE
  lanterlog.ledger, lanterlog.outbox, lanterlog.imports, lanterlog.people, lanterlog.texts,
  lanterlog.commands, lanterlog.events, lanterlog.games;
DROP FUNCTION
  lanterlog.check_event, lanterlog.refuse_change, lanterlog.refuse_young_command,
  lanterlog.event_hash, lanterlog.inner_hash;
"""


def upgrade() -> None:
    for part in (TABLES, HASHES, TRIGGERS, FUNCTIONS, _with_roles(RIGHTS)):
        op.execute(part)


def downgrade() -> None:
    op.execute(REFUSE_LOSS)
    op.execute(_with_roles(DROPS))


def _with_roles(sql: str) -> str:
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    return sql.format(app=quote(roles.app), worker=quote(roles.worker))
