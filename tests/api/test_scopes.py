"""Every address says what a token must be good for before it is answered."""

import pytest

from api.scopes import Need, need_of, needs
from tests.api.conftest import MakeApp

pytestmark = [pytest.mark.store, pytest.mark.http]


def test_every_view_declares_what_it_needs(make_app: MakeApp):
    views = make_app().view_functions
    assert len(views) > 10
    assert [name for name, view in views.items() if need_of(view) is None] == []


def test_a_declaration_is_found_on_the_view_whatever_else_decorates_it():
    @needs("audit")
    def view() -> None: ...

    assert need_of(view) == Need("audit", "audit")
    assert need_of(needs("games:write", "import")(lambda: None)) == Need("games:write", "import")
    assert need_of(needs("anyone")(lambda: None)) == Need(None, None)
    assert need_of(lambda: None) is None
