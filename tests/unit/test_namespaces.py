"""What packages offer at TAB, and what they answer to names that they do not have."""

import inspect

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import ulna
from tabular import tabular
from ulna import analysis, angles, control, dynamics, kinematics, motion, viewer

PACKAGES = (analysis, control, dynamics, kinematics, motion, ulna.paths, viewer)


def offered(package):
    return [name for name in dir(package) if not name.startswith("_")]


@pytest.fixture(scope="module")
def shell():
    made = InteractiveShell.instance()
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("jedi", [True, False])
@pytest.mark.parametrize("words", ["kinematics.", "ulna.kinematics."])
def test_tab_offers_the_public_names_of_kinematics(shell, jedi, words):
    shell.user_ns.update(ulna=ulna, kinematics=kinematics)
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        found = [one.text.lstrip(".") for one in shell.Completer.completions(words, len(words))]
    assert {"tip", "inverse", "track", "workspace", "jacobian"} <= set(found)
    assert set(found) <= set(kinematics.__all__)


def test_paths_are_functions_only():
    assert all(inspect.isfunction(getattr(ulna.paths, name)) for name in offered(ulna.paths))


@tabular(
    ("package", "name", "nearest"),
    [
        (ulna, "simulat", "simulate"),
        (angles, "unwarp", "unwrap"),
        (control, "ComputeTorque", "ComputedTorque"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest_one(package, name, nearest):
    with pytest.raises(
        AttributeError, match=f"has no attribute '{name}'; did you mean '{nearest}'"
    ):
        getattr(package, name)


def test_a_name_that_resembles_none_is_not_there():
    for package in (ulna, *PACKAGES):
        with pytest.raises(AttributeError, match=r"has no attribute 'zzz'$"):
            package.zzz  # noqa: B018
