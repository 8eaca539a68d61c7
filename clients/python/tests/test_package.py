"""What is published: a wheel and an sdist that install into an empty environment, with their types."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import trove_classifiers

from tests.consumer import MISUSE, MISUSES, PROGRAM, USE
from tests.long import at_night

FOLDER = Path(__file__).parent.parent
UV = [sys.executable, "-m", "uv", "--quiet"]
# pyright reads the same annotations as mypy, by rules of its own: with CAIRN_LONG=1
CHECKERS = ["mypy", pytest.param("pyright", marks=at_night)]


def run(command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("dist")
    done = run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(FOLDER)])
    assert done.returncode == 0, done.stdout
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
    assert {"pyproject.toml", "README.md", "LICENSE", "docs/templates/custom.css", "tests/conftest.py"} <= names
    assert [name for name in names if "__pycache__" in name or name.startswith("docs/api/")] == []


def test_the_metadata_says_what_it_is(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built[".whl"]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
        metadata = message_from_string(wheel.read(name).decode())
        assert f"{name.rpartition('/')[0]}/licenses/LICENSE" in wheel.namelist()
    assert (metadata["Name"], metadata["License-Expression"], metadata["Requires-Python"]) == (
        *("cairn-client", "MIT"),
        ">=3.11",
    )
    assert set(metadata.get_all("Classifier", [])) <= trove_classifiers.classifiers
    assert metadata.get_all("Provides-Extra") == ["agent"]
    checked = run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built.values())])
    assert checked.returncode == 0, checked.stdout


@pytest.fixture(scope="session")
def consumers(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The interpreters of environments that have nothing but the package: the wheel's with the extra."""
    pythons = {}
    for kind, extra in ((".whl", "[agent]"), (".gz", "")):
        folder = tmp_path_factory.mktemp("consumer")
        assert run([*UV, "venv", "--python", sys.executable, str(folder / "venv")]).returncode == 0
        python = folder / "venv" / "bin" / "python"
        # what lies in uv's cache is linked to, not copied: the extra brings a program of 400 MB
        given = ["--link-mode", "symlink", "--python", str(python), f"cairn-client{extra} @ {built[kind].as_uri()}"]
        install = run([*UV, "pip", "install", *given])
        if install.returncode != 0 and "error sending request" in install.stderr:
            pytest.skip("no package index is reached here, from which its dependencies could come")
        assert install.returncode == 0, install.stderr
        pythons[kind] = python
    return pythons


@pytest.mark.parametrize("kind", [".whl", ".gz"])
def test_it_installs_into_an_empty_environment(consumers: dict[str, Path], tmp_path: Path, kind: str) -> None:
    done = run([str(consumers[kind]), "-W", "error", "-c", PROGRAM], tmp_path)
    assert (done.stdout, done.stderr) == ("fine\n", "")


@pytest.mark.parametrize("checker", CHECKERS)
def test_its_types_are_seen_there(consumers: dict[str, Path], tmp_path: Path, checker: str) -> None:
    if checker == "pyright" and shutil.which("node") is None:
        pytest.skip("node is not installed, in which pyright runs")
    (tmp_path / "use.py").write_text(USE, "utf-8")
    (tmp_path / "misuse.py").write_text(MISUSE, "utf-8")
    python = str(consumers[".whl"])
    strict = {
        "mypy": ["--strict", "--cache-dir", str(tmp_path / "cache"), "--python-executable", python],
        "pyright": ["--pythonpath", python],
    }
    command = [sys.executable, "-m", checker, *strict[checker]]
    used = run([*command, "use.py"], tmp_path)
    assert used.returncode == 0, used.stdout
    misused = run([*command, "misuse.py"], tmp_path)
    lines = re.findall(r"misuse\.py:(\d+):(?:\d+ -)? error: ", misused.stdout)
    assert [int(line) for line in lines] == MISUSES, misused.stdout
