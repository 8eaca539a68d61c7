"""What must not leave the machine.

Heuristics, not a proof: names that secrets usually have, and the forms of well-known keys. The service screens once
more what becomes public.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cairn_client.agent._secret_forms import PLACEHOLDER, PLAIN_SECRET, QUOTED_SECRET, SECRET_FORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECRET_NAMES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"^\.env(\..+)?$|\.env$",
        r"^\.(npmrc|yarnrc(\.yml)?|netrc|pypirc|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg|dockerconfigjson)$",
        r"^_netrc$",
        r"^id_(rsa|dsa|ecdsa|ed25519)",
        r"\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars|ovpn)$",
        r"^(credentials?|secrets?|passwords?|tokens?)(\.[\w-]+)?$",
        r"^(kubeconfig|client_secret.*\.json|service[-_]account.*\.json)$",
    )
]

_SECRET_VARIABLE = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)
_SHORTEST_VALUE = 12


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names sound secret, longer ones first.

    A tool may have printed one, or written it to a file.
    """
    values = (
        value
        for name, value in environment.items()
        if _SECRET_VARIABLE.search(name) and len(value) >= _SHORTEST_VALUE and not value.startswith(("/", "."))
    )
    return tuple(sorted(values, key=len, reverse=True))


def _is_plain_secret(before: str, value: str) -> bool:
    """An unquoted word may be code: `token = request_token`.

    In `TOKEN=…`, as shells have it, it is not; elsewhere a secret is told by digits among its letters.
    """
    if PLACEHOLDER.search(value):
        return False
    mixed = re.search(r"[0-9]", value) and re.search(r"[a-z]", value, re.IGNORECASE)
    code = re.match(r"[a-z_]\w*\.[a-z_]", value, re.IGNORECASE)
    return re.fullmatch(r"[A-Z_-]+=", before) is not None or (mixed is not None and code is None)


def redacted(text: str, known: Sequence[str] = ()) -> str:
    """A text without what looks like a secret."""
    for value in known:
        text = text.replace(value, "***")
    for form in SECRET_FORMS:
        text = form.sub("***", text)
    text = QUOTED_SECRET.sub(lambda found: found[0] if PLACEHOLDER.search(found[2]) else f"{found[1]}***", text)
    return PLAIN_SECRET.sub(lambda found: f"{found[1]}***" if _is_plain_secret(found[1], found[2]) else found[0], text)


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


def storable(text: str) -> str:
    """Without NUL and halves of characters, which no service takes: tools print anything."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
