"""Tokens: who may do what over HTTP. Of a secret only its SHA-256 is here.

Locks nothing that is in use: it only creates. The program's own login reads neither table. It may ask
about a secret that it was shown, and thereby notes that the token is in use; it cannot list, make, widen or
revive a token. A token is made and revoked by the owner, and even for the owner nothing else about it
changes: a row stays for ever, since events name it as who recorded them, and since a store that has had a
token must not fall open again. Hence going down refuses while there is one.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE lanterlog.tokens (
  token_id uuid NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  game_id uuid,
  seat integer,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  CONSTRAINT tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT tokens_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT tokens_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  CONSTRAINT tokens_name_check CHECK (name <> '' AND length(name) <= 80),
  CONSTRAINT tokens_scopes_check CHECK (cardinality(scopes) > 0
    AND scopes <@ ARRAY['games:read', 'games:write', 'audit', 'export', 'admin']),
  CONSTRAINT tokens_seat_check CHECK (seat IS NULL
    OR (seat BETWEEN 0 AND 7 AND game_id IS NOT NULL AND NOT scopes && ARRAY['admin']))
);
COMMENT ON TABLE lanterlog.tokens IS 'Who may do what over HTTP; of the secret only its SHA-256.';

CREATE TABLE lanterlog.sessions (
  session_hash bytea NOT NULL,
  token_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_hash),
  CONSTRAINT sessions_token_id_fkey FOREIGN KEY (token_id) REFERENCES lanterlog.tokens (token_id),
  CONSTRAINT sessions_session_hash_check CHECK (octet_length(session_hash) = 32)
);
COMMENT ON TABLE lanterlog.sessions IS
  'Browsers that have shown a token: the SHA-256 of what is in the cookie.';
"""

TRIGGERS = """
CREATE FUNCTION lanterlog.check_token() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_same tokens := NEW;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.revoked_at IS NULL AND NEW.last_used_at IS NULL THEN
      RETURN NEW;
    END IF;
  ELSE
    v_same.revoked_at := OLD.revoked_at;
    v_same.last_used_at := OLD.last_used_at;
    IF v_same IS NOT DISTINCT FROM OLD
      AND (NEW.revoked_at IS NOT DISTINCT FROM OLD.revoked_at OR OLD.revoked_at IS NULL)
      AND (NEW.last_used_at IS NOT DISTINCT FROM OLD.last_used_at
        OR NEW.last_used_at > coalesce(OLD.last_used_at, '-infinity'))
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% of token % refused: only its last use changes, and once that it is revoked',
    lower(TG_OP), NEW.token_id USING ERRCODE = 'LL006';
END $$;

CREATE TRIGGER check_token BEFORE INSERT OR UPDATE ON lanterlog.tokens
  FOR EACH ROW EXECUTE FUNCTION lanterlog.check_token();
CREATE TRIGGER refuse_change BEFORE DELETE ON lanterlog.tokens
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON lanterlog.tokens
  FOR EACH STATEMENT EXECUTE FUNCTION lanterlog.refuse_change();
CREATE TRIGGER refuse_change BEFORE UPDATE ON lanterlog.sessions
  FOR EACH ROW EXECUTE FUNCTION lanterlog.refuse_change();
ALTER TABLE lanterlog.tokens ENABLE ALWAYS TRIGGER check_token;
ALTER TABLE lanterlog.tokens ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE lanterlog.tokens ENABLE ALWAYS TRIGGER refuse_truncate;
ALTER TABLE lanterlog.sessions ENABLE ALWAYS TRIGGER refuse_change;
"""

# Each answers for one secret that the caller knows, with at most one row; for a secret that is wrong,
# revoked or expired with none, so that the program cannot even say which.
FUNCTIONS = """
CREATE FUNCTION lanterlog.has_tokens() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp
BEGIN ATOMIC
  SELECT EXISTS (SELECT FROM lanterlog.tokens);
END;

CREATE FUNCTION lanterlog.use_token(p_secret_hash bytea) RETURNS SETOF lanterlog.tokens
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_token tokens;
BEGIN
  SELECT * INTO v_token FROM tokens t WHERE t.secret_hash = p_secret_hash
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > v_now);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF v_token.last_used_at IS NULL OR v_token.last_used_at < v_now - interval '1 minute' THEN
    UPDATE tokens t SET last_used_at = v_now WHERE t.token_id = v_token.token_id
      AND (t.last_used_at IS NULL OR t.last_used_at < v_now - interval '1 minute');
  END IF;
  RETURN NEXT v_token;
END $$;

CREATE FUNCTION lanterlog.use_session(p_session_hash bytea) RETURNS SETOF lanterlog.tokens
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT u.* FROM sessions s
    JOIN tokens t ON t.token_id = s.token_id
    CROSS JOIN LATERAL use_token(t.secret_hash) u
    WHERE s.session_hash = p_session_hash AND s.expires_at > clock_timestamp();
END $$;

CREATE FUNCTION lanterlog.open_session(p_secret_hash bytea, p_session_hash bytea, p_seconds integer)
RETURNS SETOF lanterlog.tokens
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
DECLARE
  v_token tokens;
BEGIN
  SELECT * INTO v_token FROM use_token(p_secret_hash);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  DELETE FROM sessions s WHERE s.expires_at < clock_timestamp();
  INSERT INTO sessions VALUES (p_session_hash, v_token.token_id,
    clock_timestamp() + make_interval(secs => least(greatest(p_seconds, 0), 2592000)));
  RETURN NEXT v_token;
END $$;

CREATE FUNCTION lanterlog.close_session(p_session_hash bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, lanterlog, pg_temp AS $$
BEGIN
  DELETE FROM sessions s WHERE s.session_hash = p_session_hash;
  RETURN FOUND;
END $$;
"""

RIGHTS = """
REVOKE ALL ON lanterlog.tokens, lanterlog.sessions FROM PUBLIC, {app}, {worker};
REVOKE EXECUTE ON FUNCTION
  lanterlog.check_token, lanterlog.has_tokens, lanterlog.use_token, lanterlog.use_session,
  lanterlog.open_session, lanterlog.close_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  lanterlog.has_tokens, lanterlog.use_token, lanterlog.use_session, lanterlog.open_session,
  lanterlog.close_session TO {app};
"""

REFUSE_LOSS = """
DO $$
BEGIN
  IF EXISTS (SELECT FROM lanterlog.tokens) THEN
    RAISE EXCEPTION 'there are tokens: without them everybody could write' USING ERRCODE = 'LL006';
  END IF;
END $$;
"""

DROPS = """
DROP FUNCTION
  lanterlog.has_tokens, lanterlog.use_token, lanterlog.use_session, lanterlog.open_session,
  lanterlog.close_session;
DROP TABLE lanterlog.sessions, lanterlog.tokens;
DROP FUNCTION lanterlog.check_token;
"""


def upgrade() -> None:
    for part in (TABLES, TRIGGERS, FUNCTIONS, _with_roles(RIGHTS)):
        op.execute(part)


def downgrade() -> None:
    op.execute(REFUSE_LOSS)
    op.execute(DROPS)


def _with_roles(sql: str) -> str:
    roles = op.get_context().opts["roles"]
    quote = op.get_context().dialect.identifier_preparer.quote_identifier
    return sql.format(app=quote(roles.app), worker=quote(roles.worker))
