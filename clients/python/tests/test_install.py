"""What the README has for a shell, run by one: in a project beside a clone, with an environment of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cairn_client import __version__
from tests.long import IS_LONG

if TYPE_CHECKING:
    from tests.service import Service

FOLDER = Path(__file__).parent.parent
README = (FOLDER / "README.md").read_text("utf-8")
LEFT = shutil.ignore_patterns("__pycache__", ".*", "docs")

SEARCH = "python -W error -c \"from cairn_client import Cairn; print(type(Cairn().search('anything')).__name__)\""
EXTRA = "'../cairn/clients/python[agent]'"
SESSION = 'python -c "import cairn_client.agent, claude_agent_sdk; print(cairn_client.__file__)"'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    above = tmp_path_factory.mktemp("installed")
    shutil.copytree(FOLDER, above / "cairn" / "clients" / "python", ignore=LEFT)
    folder = above / "project"
    folder.mkdir()
    # as `python -m venv` makes it, and in a fifth of the time
    command = [sys.executable, "-m", "uv", "venv", "--quiet", "--seed", "--python", sys.executable, "venv"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip("no environment with pip can be made here, as where no package index is reached")
    return folder


def typed(project: Path, service: Service, lines: str) -> str:
    """What a shell answers to lines, in which the project's environment is active."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))},
        "PATH": f"{project / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # what is imported is compiled then
        "PIP_NO_COMPILE": "1",
        "CAIRN_BASE_URL": service.base_url,
    }
    # what stands for a reader's own key
    lines = lines.replace("CAIRN_API_KEY=…", f"CAIRN_API_KEY={service.key}")
    done = subprocess.run(
        ["sh", "-euc", lines], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 and "No matching distribution" in done.stderr:
        pytest.skip("no package index is reached here, from which its dependencies could come")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_block_installs_it(project: Path, service: Service) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S)
    assert len(blocks) == 3
    from_path, from_file, with_extra = blocks
    assert typed(project, service, from_path + SEARCH).endswith("\nSearchResponse\n")
    assert f"cairn_client-{__version__}-" in from_file
    assert with_extra == f"{from_path.splitlines()[0]}\n".replace("../cairn/clients/python", EXTRA)
    # test_package.py installs a wheel, with the extra, each time; the extra's program of 400 MB takes longest here
    if IS_LONG:
        typed(project, service, "pip uninstall -q -y cairn-client")
        said = typed(project, service, f"{from_file}export CAIRN_API_KEY=…\n{SEARCH}")
        assert said.endswith("\nSearchResponse\n")
        said = typed(project, service, with_extra + SESSION)
        assert str(project / "venv") in said.splitlines()[-1]
