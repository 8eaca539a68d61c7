"""One program for each method of the existing client, as its users write them."""

from __future__ import annotations

from methods import around, retrieve, runs, store, without
from methods.registry import PROGRAMS

__all__ = ["PROGRAMS", "around", "retrieve", "runs", "store", "without"]
