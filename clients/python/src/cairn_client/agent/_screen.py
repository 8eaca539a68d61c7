"""What must not leave the machine.

Heuristics, not a proof: names that secrets usually have, and the forms of well-known keys. The service screens once
more what becomes public.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECRET_NAMES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"^\.env(\..+)?$|\.env$",
        r"^\.(npmrc|netrc|pypirc|pgpass|git-credentials|htpasswd|dockercfg)$",
        r"^_netrc$",
        r"^id_(rsa|dsa|ecdsa|ed25519)",
        r"\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars)$",
        r"^(credentials?|secrets?|passwords?|tokens?)(\.[\w-]+)?$",
        r"^service[-_]account.*\.json$",
    )
]

_SECRET_FORMS = [
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----"),
    re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[0-9A-Za-z]{30,}\b"),
    re.compile(r"\bgithub_pat_\w{30,}\b"),
    re.compile(r"\bglpat-[\w-]{20,}"),
    re.compile(r"\bnpm_[0-9A-Za-z]{36}\b"),
    re.compile(r"\bpypi-[\w-]{40,}"),
    re.compile(r"\bsk-[\w-]{20,}"),
    re.compile(r"\b[rs]k_(live|test)_[0-9A-Za-z]{16,}\b"),
    re.compile(r"\bxox[abeprs]-[\w-]{10,}"),
    re.compile(r"\bAIza[\w-]{35}"),
    re.compile(r"\bcairn_[a-z]+_[0-9A-Za-z]{16,}\b"),
    re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s:/@\"']+:[^\s/@\"'{}$<>]+@", re.IGNORECASE),
    re.compile(r"\bauthorization[\"']?\s*[:=]\s*[\"']?(bearer|basic)\s+[\w.~+/=-]{12,}", re.IGNORECASE),
]

_ASSIGNED = re.compile(
    r"\b[\w-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)[\"']?\s*[:=]\s*"
    r"[\"']([^\"'\s]{8,})[\"']",
    re.IGNORECASE,
)
"""`password = "…"`: a text of some length."""

_PLACEHOLDER = re.compile(
    r"^(your|my|the|test|example|dummy|fake|change|placeholder|insert|replace|x{3,}|\*{3,}|\.{3})|[<>{}$%]|\.\.\.|…",
    re.IGNORECASE,
)

_SECRET_VARIABLE = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_SHORTEST_VALUE = 12


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names sound secret: a tool may have printed one, or written it to a file."""
    return tuple(
        value
        for name, value in environment.items()
        if _SECRET_VARIABLE.search(name) and len(value) >= _SHORTEST_VALUE and not value.startswith(("/", "."))
    )


def redacted(text: str, known: Sequence[str] = ()) -> str:
    """A text without what looks like a secret."""
    for value in known:
        text = text.replace(value, "***")
    for form in _SECRET_FORMS:
        text = form.sub("***", text)
    return _ASSIGNED.sub(lambda found: found[0] if _PLACEHOLDER.search(found[1]) else "***", text)


def has_secret_name(name: str) -> bool:
    """Whether a file is one that secrets are kept in, by its name."""
    return any(form.search(name) for form in _SECRET_NAMES)


def has_secret(text: str, known: Sequence[str] = ()) -> bool:
    """Whether a text seems to hold a secret."""
    return redacted(text, known) != text


def text_file(content: bytes) -> str | None:
    """A file's text; `None` when it is none: a zero byte, or no UTF-8."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
