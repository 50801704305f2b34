"""A scope for whoever watches the service: `metrics`, good for /metrics and nothing else.

A monitor had to be given `admin` otherwise, and with it every hidden card. Locks tokens against everything
for as long as its rows take to be looked at, far below a second.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

CHECK = """
ALTER TABLE lanterlog.tokens DROP CONSTRAINT tokens_scopes_check;
ALTER TABLE lanterlog.tokens ADD CONSTRAINT tokens_scopes_check CHECK (cardinality(scopes) > 0
  AND scopes <@ ARRAY[{scopes}]);
"""
BEFORE = "'games:read', 'games:write', 'audit', 'export', 'admin'"
AFTER = "'games:read', 'games:write', 'audit', 'export', 'metrics', 'admin'"


def upgrade() -> None:
    op.execute(CHECK.format(scopes=AFTER))


def downgrade() -> None:
    """Go back; refused once there is a token with the scope, for tokens stay for ever."""
    op.execute(CHECK.format(scopes=BEFORE))
