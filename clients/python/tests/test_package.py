"""What is published: a wheel and an sdist that install into an empty environment, with their types."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent

PROGRAM = """
import cairn_client, cairn_client.compat, cairn_client.compat.types, importlib.metadata as metadata
assert metadata.version("cairn-client") == cairn_client.__version__
assert "site-packages" in cairn_client.__file__
client = cairn_client.Cairn("k")
client.close()
print("fine")
"""

USE = """
from datetime import datetime
from cairn_client import AsyncCairn, Cairn
from cairn_client.compat import RaySurfer, agent_accessible

def use(client: Cairn, old: RaySurfer) -> datetime | None:
    score: float = client.with_raw_response.search("a", top_k=3, timeout=2).parse().matches[0].score
    for event in client.events(type="VoteCast"):
        print(event.recorded_at.year, score)
    return old.search("a").matches[0].code_block.created_at

async def use_async(client: AsyncCairn) -> str:
    async for event in client.events():
        print(event.position)
    return (await client.keys.create("a@b.c", "laptop")).key

@agent_accessible("Doubles.")
def double(number: int) -> int:
    return number * 2

wrong: str = double(1)
Cairn(nothing=1)
Cairn().search("a", retries=3)
"""

MISUSES = ["21 assignment", "22 call-arg", "23 call-arg"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(FOLDER)]
    subprocess.run(command, check=True, capture_output=True)
    return {path.suffix: path for path in folder.iterdir()}


def test_the_wheel_has_the_types_and_no_tests(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built[".whl"]) as wheel:
        names = wheel.namelist()
    assert "cairn_client/py.typed" in names
    assert "cairn_client/_sync/client.py" in names
    assert "cairn_client/compat/_sync/client.py" in names
    assert {name.split("/")[0] for name in names} == {"cairn_client", names[-1].split("/")[0]}


def test_the_sdist_has_what_builds_and_tests_it(built: dict[str, Path]) -> None:
    with tarfile.open(built[".gz"]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"pyproject.toml", "README.md", "scripts/generate_sync.py", "tests/conftest.py"} <= names


@pytest.mark.parametrize("kind", [".whl", ".gz"])
def test_it_installs_into_an_empty_environment(built: dict[str, Path], tmp_path: Path, kind: str) -> None:
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, str(tmp_path / "venv")], check=True, capture_output=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    command = [*uv, "pip", "install", "--python", python, str(built[kind])]
    install = subprocess.run(command, capture_output=True, text=True, check=False)
    if install.returncode != 0 and "error sending request" in install.stderr:
        pytest.skip("no package index is reached here, from which its dependencies could come")
    assert install.returncode == 0, install.stderr
    program = [python, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("fine\n", "")
    if kind == ".whl":
        (tmp_path / "use.py").write_text(USE, "utf-8")
        mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
        checked = subprocess.run(
            [*mypy, "--python-executable", python, "use.py"], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        errors = re.findall(r"^use\.py:(\d+): error: .*\[([a-z-]+)\]$", checked.stdout, re.M)
        assert [" ".join(error) for error in errors] == MISUSES, checked.stdout
