"""Organizations of other tiers, made as an operator makes them: with the command line, beside the running service."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from here import unique
from tests.service import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Organization:
    id: str
    key: str


def organization(folder: Path, tier: str) -> Organization:
    name = unique()
    command = ["node", "start.cjs", "cairn", "org", "create", "--json"]
    given = ["--name", name, "--tier", tier, "--owner-email", f"{name}@example.org"]
    made = subprocess.run(
        [*command, *given],
        cwd=ROOT,
        env={**os.environ, "CAIRN_DATA_DIR": str(folder / "data")},
        check=True,
        capture_output=True,
        text=True,
    )
    answer = json.loads(made.stdout)
    return Organization(answer["organization_id"], answer["key"])
