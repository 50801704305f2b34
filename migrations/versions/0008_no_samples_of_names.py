"""No samples of names: the index of 0007 has statistics of its own, which hold names in lower case.

As for the columns in 0005: an erased name must not live on in the planner's catalogue. Locks people against
everything while the index is built again, which takes about a second for a million names; building it again is
what throws the samples away that may be there.
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

AGAIN = """
DROP INDEX lanterlog.people_name_idx;
CREATE INDEX people_name_idx ON lanterlog.people (lower(name) text_pattern_ops);
"""


def upgrade() -> None:
    op.execute(AGAIN)
    op.execute("ALTER INDEX lanterlog.people_name_idx ALTER COLUMN 1 SET STATISTICS 0")


def downgrade() -> None:
    op.execute("ALTER INDEX lanterlog.people_name_idx ALTER COLUMN 1 SET STATISTICS -1")
