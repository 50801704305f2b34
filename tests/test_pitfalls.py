"""What event stores on PostgreSQL have got wrong, and the tests that would show that this one does, too.

An entry that does not apply says why, and where that can change has a test that notices. A test that is named here
must be there: whoever takes one away has to say what stands for it.
"""

import ast
import re
from functools import cache
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

import api.wire
import api.wire_legal
import api.wire_moments

ROOT = Path(__file__).parent.parent
COUNT = 30


class Pitfall(msgspec.Struct, frozen=True):
    """What can go wrong, and the tests for it (file::function below tests/), or why it cannot."""

    title: str
    tests: tuple[str, ...] = ()
    because: str = ""


KILLED, ORDER, NUMBERS = "faults/test_killed.py", "faults/test_order.py", "faults/test_numbers.py"
SNAPSHOTS, POOLER, HERE = "faults/test_snapshots.py", "faults/test_pooler.py", "test_pitfalls.py"
SEALING, STORE, RIGHTS = (f"events/test_{name}.py" for name in ("sealing", "store", "store_rights"))
RUNNER, REBUILD = "projections/test_runner.py", "projections/test_rebuild.py"
WORKING, ERASING = "api/test_working.py", "api/test_erasing.py"

PITFALLS: dict[int, Pitfall] = {
    1: Pitfall(
        "a reader passes over what took its number early and committed late",
        (
            f"{ORDER}::test_what_commits_late_is_read_late_and_never_passed_over",
            "faults/test_writers.py::test_every_accepted_event_is_found_once_and_in_order",
        ),
    ),
    2: Pitfall(
        "one way of appending does not take the lock that keeps the order",
        (
            f"{ORDER}::test_what_commits_late_is_read_late_and_never_passed_over",
            f"{ORDER}::test_whoever_rests_in_a_transaction_holds_nobody_up",
            f"{SEALING}::test_an_import_is_sealed_like_an_append",
        ),
    ),
    3: Pitfall(
        "a function or trigger finds another store's table",
        (
            f"{RIGHTS}::test_definers_look_up_names_where_nobody_else_can_write",
            f"{RIGHTS}::test_a_table_of_the_callers_own_is_not_mistaken_for_ours",
            "events/test_store_import.py::test_a_game_goes_from_one_store_to_another_and_on",
        ),
    ),
    4: Pitfall(
        "the feed turns two events of one game round",
        (
            f"{SEALING}::test_what_commits_late_comes_late_and_is_not_lost",
            "faults/test_writers.py::test_every_accepted_event_is_found_once_and_in_order",
        ),
    ),
    5: Pitfall(
        "a transaction elsewhere on the server freezes the feed",
        (
            f"{ORDER}::test_another_databases_transaction_holds_up_no_reader",
            f"{SEALING}::test_another_database_holds_nothing_up",
        ),
    ),
    6: Pitfall(
        "after a restore the feed stands still, or begins again",
        (
            "faults/test_restored.py::test_everything_goes_on",
            "api/test_restore.py::test_a_restored_store_is_sound_and_goes_on",
        ),
    ),
    7: Pitfall(
        "whoever waits for an idle appender holds up all others",
        (
            f"{ORDER}::test_whoever_rests_in_a_transaction_holds_nobody_up",
            f"{SEALING}::test_an_appender_idle_in_transaction_is_not_waited_for",
            f"{SEALING}::test_only_one_session_seals",
        ),
    ),
    8: Pitfall(
        "of two conflicting appends one is lost without a word",
        (
            f"{ORDER}::test_twenty_at_once_after_whatever_is_there",
            f"{ORDER}::test_twenty_at_once_after_one_version",
        ),
    ),
    9: Pitfall(
        "an answer is lost after COMMIT, and the retry stores it twice",
        (
            "faults/test_lost_answers.py::test_an_append",
            "faults/test_lost_answers.py::test_an_act_over_http",
            f"{KILLED}::test_appending",
        ),
    ),
    10: Pitfall(
        "refused appends burn positions, and readers wait for them",
        (
            f"{ORDER}::test_a_thousand_refused_appends_leave_no_hole",
            f"{SEALING}::test_refused_appends_burn_no_position",
        ),
    ),
    11: Pitfall(
        "a listener's connection dies, and nobody looks any more",
        (
            f"{HERE}::test_nobody_listens_and_nobody_notifies",
            f"{WORKING}::test_a_worker_goes_on_when_its_sessions_are_ended",
        ),
        because="readers ask every fifth of a second; nothing waits for a notification",
    ),
    12: Pitfall(
        "NOTIFY in the append puts all commits into a queue",
        (f"{HERE}::test_nobody_listens_and_nobody_notifies",),
        because="nothing is notified",
    ),
    13: Pitfall(
        "rows and checkpoint are not written together",
        (
            f"{KILLED}::test_keeping",
            f"{RUNNER}::test_rows_and_checkpoint_are_written_together",
            "faults/test_lost_answers.py::test_a_worker",
        ),
    ),
    14: Pitfall(
        "two keep the same read model, and one turns it back",
        (
            f"{RUNNER}::test_one_keeps_and_the_other_takes_over",
            f"{RUNNER}::test_one_that_lags_behind_cannot_turn_a_checkpoint_back",
            f"{WORKING}::test_another_worker_takes_over_from_one_that_is_killed",
        ),
    ),
    15: Pitfall(
        "two statements see two states of the store",
        (
            f"{SNAPSHOTS}::test_a_log_ends_where_its_head_says",
            f"{SNAPSHOTS}::test_an_answer_is_of_one_version",
            f"{SNAPSHOTS}::test_a_step_reads_no_further_than_it_says",
            f"{SNAPSHOTS}::test_a_rebuild_reads_no_further_than_it_says",
        ),
    ),
    16: Pitfall(
        "a rebuild gives other rows, none for a moment, or has no end",
        (
            f"{REBUILD}::test_writers_and_readers_go_on_meanwhile",
            f"{REBUILD}::test_an_empty_store_is_rebuilt_to_nothing",
            f"{REBUILD}::test_an_event_at_fault_ends_it_and_leaves_what_was_there",
            f"{KILLED}::test_rebuilding",
        ),
    ),
    17: Pitfall(
        "a rebuild does again what was to be done once",
        (f"{SNAPSHOTS}::test_a_rebuild_changes_nothing_but_its_tables",),
    ),
    18: Pitfall(
        "an event that cannot be read is passed over without a word",
        (
            f"{RUNNER}::test_an_error_stops_one_model_right_before_it",
            f"{WORKING}::test_an_event_at_fault_is_told_once_and_stops_nothing_else",
        ),
    ),
    19: Pitfall(
        "a snapshot of an older program is believed",
        (f"{RUNNER}::test_tables_of_another_version_are_left_alone",),
        because="no state of a game is stored; the tables of read models have a version",
    ),
    20: Pitfall(
        "an event of an older program cannot be read any more",
        (
            "events/test_golden.py::test_a_golden_log_replays_to_its_state",
            "events/test_golden.py::test_every_shape_that_ever_was_has_a_golden_log",
            "events/test_upcasters.py::test_a_registry_with_a_hole_is_refused",
            "events/test_evolution.py::test_an_old_file_holds_and_is_read_in_the_shapes_of_today",
        ),
    ),
    21: Pitfall(
        "what is append-only can be changed all the same",
        (
            f"{RIGHTS}::test_the_program_may_only_read_and_execute",
            f"{RIGHTS}::test_the_owner_cannot_change_what_is_stored",
            f"{RIGHTS}::test_triggers_do_not_rest_for_a_replica",
            f"{RIGHTS}::test_a_forged_event_is_refused",
            f"{RIGHTS}::test_no_setting_opens_a_door",
        ),
    ),
    22: Pitfall(
        "a superuser's change is not found",
        (
            "events/test_scan.py::test_the_first_bad_version_is_named",
            "events/test_scan.py::test_the_first_bad_position_of_the_ledger_is_named",
            "events/test_scan.py::test_an_anchor_finds_a_ledger_that_was_cut",
        ),
    ),
    23: Pitfall(
        "an erasure breaks the chain, or is undone",
        (
            f"{ERASING}::test_no_file_no_table_and_no_export_has_the_name",
            f"{ERASING}::test_an_old_export_brings_nothing_back",
            "events/test_store_import.py::test_erasing_a_text_leaves_the_chain_whole",
        ),
        because="there are no keys to shred: a text and its salt go, and the log has their hash",
    ),
    24: Pitfall(
        "what is meant for one game's number changes another's",
        (
            f"{NUMBERS}::test_the_same_numbers_in_two_games_are_two_things",
            f"{STORE}::test_a_command_id_belongs_to_its_game",
            f"{ERASING}::test_which_texts_go_is_the_callers_choice",
        ),
    ),
    25: Pitfall(
        "a number outgrows its type, or a JSON reader's",
        (
            f"{SEALING}::test_positions_go_past_31_bits",
            f"{RUNNER}::test_positions_past_31_bits_are_read",
            f"{STORE}::test_the_last_version_is_used_and_no_more",
            f"{NUMBERS}::test_positions_that_json_would_round_are_exact",
            f"{NUMBERS}::test_no_answer_has_an_id_that_is_a_number",
            f"{HERE}::test_an_id_is_a_text_by_its_type",
        ),
    ),
    26: Pitfall(
        "order or pages depend on a clock, or on counting",
        (
            f"{NUMBERS}::test_a_game_from_the_future_keeps_its_order_and_holds_up_no_other",
            f"{NUMBERS}::test_a_transaction_that_began_long_ago_is_not_taken_for_old",
            f"{STORE}::test_time_never_goes_back_inside_a_game",
            f"{SEALING}::test_a_clock_set_back_does_not_turn_times_round",
            f"{HERE}::test_no_page_is_found_by_counting",
        ),
    ),
    27: Pitfall(
        "the next partition is missing when its month begins",
        (f"{RIGHTS}::test_there_is_no_partition_to_write_to_directly",),
        because="no table has partitions",
    ),
    28: Pitfall(
        "a pooler hands locks and prepared statements to somebody else",
        (
            f"{POOLER}::test_the_service_works",
            f"{POOLER}::test_what_the_store_does",
            f"{POOLER}::test_whatever_needs_a_session_of_its_own_refuses",
            f"{POOLER}::test_the_worker_says_what_it_needs",
        ),
    ),
    29: Pitfall(
        "a query over many partitions takes more locks than there are",
        (f"{RIGHTS}::test_there_is_no_partition_to_write_to_directly",),
        because="no table has partitions",
    ),
    30: Pitfall(
        "a replay shows a hand before its time",
        (
            "api/test_hidden.py::test_nothing_hidden_leaves_while_the_deal_is_in_play",
            "api/test_exports.py::test_hidden_cards_are_in_no_table_and_in_no_file",
            "api/test_roles.py::test_every_hand_is_seen_by_whom_the_page_says",
            "projections/test_views.py::test_what_is_shown_does_not_depend_on_what_is_hidden",
        ),
    ),
}


def test_every_pitfall_is_listed() -> None:
    assert sorted(PITFALLS) == list(range(1, COUNT + 1))


@pytest.mark.parametrize("number", PITFALLS)
def test_a_pitfall_has_its_tests_or_a_reason(number: int) -> None:
    pitfall = PITFALLS[number]
    assert pitfall.tests or pitfall.because
    missing = [one for one in pitfall.tests if not _is_there(one)]
    assert missing == [], f"{pitfall.title}: tests that are not there any more"


def test_nobody_listens_and_nobody_notifies() -> None:
    """Pitfalls of LISTEN and NOTIFY count from the day on which somebody uses them."""
    assert _sources_with(r"pg_notify|\bLISTEN \w|\bNOTIFY \w") == []


def test_no_page_is_found_by_counting() -> None:
    """OFFSET passes over rows, or gives them twice, when others come or go in between."""
    assert _sources_with(r"\bOFFSET [\d%:]|\.offset\(") == []


def test_an_id_is_a_text_by_its_type() -> None:
    """No reader of JSON rounds a text."""
    shapes = [
        shape
        for module in (api.wire, api.wire_legal, api.wire_moments)
        for shape in vars(module).values()
        if isinstance(shape, type) and issubclass(shape, msgspec.Struct)
    ]
    fields = [(shape, field) for shape in shapes for field in msgspec.structs.fields(shape)]
    ids = [(shape, field) for shape, field in fields if field.encode_name.endswith("_id")]
    assert ids
    for shape, field in ids:
        assert field.type in (UUID, UUID | None, str, str | None), (shape, field.name)


def _is_there(test: str) -> bool:
    file, _, function = test.partition("::")
    return function in _functions(ROOT / "tests" / file)


@cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def _sources_with(pattern: str) -> list[str]:
    """Files of the program that have this anywhere."""
    folders = ("events", "projections", "api", "migrations")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    assert files
    return [str(file) for file in files if re.search(pattern, file.read_text(encoding="utf-8"))]
