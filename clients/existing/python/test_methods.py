"""Every public method of the published client, found by reflection, against the real service."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest
import raysurfer

from left_out import METHODS
from methods import PROGRAMS

if TYPE_CHECKING:
    from here import Here


def public(client: type) -> set[str]:
    return {name for name, value in inspect.getmembers(client) if callable(value) and not name.startswith("_")}


EVERY = sorted(public(raysurfer.RaySurfer) | public(raysurfer.AsyncRaySurfer))


@pytest.mark.parametrize("method", EVERY)
def test_method(method: str, here: Here) -> None:
    theirs = raysurfer.RaySurfer if here.kind == "sync" else raysurfer.AsyncRaySurfer
    ours = here.library.RaySurfer if here.kind == "sync" else here.library.AsyncRaySurfer
    if not hasattr(theirs, method):
        return  # one of its two clients has it only
    if here.library is not raysurfer and method in METHODS:
        assert not hasattr(ours, method), f"{method} is no longer left out"
        return
    PROGRAMS[method](here)


@pytest.mark.parametrize("way", ["raysurfer async"])
@pytest.mark.parametrize("method", sorted(public(raysurfer.AsyncRaySurfer) - public(raysurfer.RaySurfer)))
def test_method_of_the_asynchronous_client_alone(method: str, here: Here) -> None:
    PROGRAMS[method](here)


def test_no_program_shows_what_is_not_there() -> None:
    assert set(PROGRAMS) == set(EVERY)
