"""Names found by how they begin, whatever the case: a list of games is searched by its players.

Locks people against writing while the index is built, which takes about a second for a million names.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX people_name_idx ON lanterlog.people (lower(name) text_pattern_ops)")


def downgrade() -> None:
    op.execute("DROP INDEX lanterlog.people_name_idx")
