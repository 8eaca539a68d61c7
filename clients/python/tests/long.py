"""What comes seldom, or repeats what others show each time: `CAIRN_LONG=1` runs it, as the service's tests do."""

from __future__ import annotations

import os

import pytest

IS_LONG = os.environ.get("CAIRN_LONG") == "1"

at_night = pytest.mark.skipif(not IS_LONG, reason="with CAIRN_LONG=1")
