"""Forms of well-known secrets.

Each looks at a text in time that grows with its length: no form begins with what may be long, and none looks twice at
what it has passed.
"""

from __future__ import annotations

import re

SECRET_FORMS = [
    # to its end, or all of the rest: the key is what follows the line that names it
    re.compile(
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
    ),
    re.compile(r"PuTTY-User-Key-File-\d[\s\S]*\Z"),
    re.compile(r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    # clouds
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bAIza[\w-]{35}", re.ASCII),
    re.compile(r"\bya29\.[\w-]{20,}", re.ASCII),
    re.compile(r"\bdop_v1_[0-9a-f]{64}\b"),
    re.compile(r"\b(?:AccountKey|SharedAccessKey|sig)=[0-9A-Za-z+/%]{30,}={0,2}"),
    # code and packages
    re.compile(r"\bgh[pousr]_[0-9A-Za-z]{30,}\b"),
    re.compile(r"\bgithub_pat_\w{30,}\b", re.ASCII),
    re.compile(r"\bgl(?:pat|ptt|dt|rt|soat|oas)-[\w-]{20,}", re.ASCII),
    re.compile(r"\bnpm_[0-9A-Za-z]{36}\b"),
    re.compile(r"\bpypi-[\w-]{40,}", re.ASCII),
    re.compile(r"\bdckr_pat_[\w-]{20,}", re.ASCII),
    re.compile(r"\bATATT3x[\w=-]{20,}", re.ASCII),
    # models
    re.compile(r"\bsk-[\w-]{20,}", re.ASCII),
    re.compile(r"\bhf_[0-9A-Za-z]{30,}\b"),
    re.compile(r"\bgsk_[0-9A-Za-z]{30,}\b"),
    re.compile(r"\bcairn_[a-z]{1,20}_[0-9A-Za-z]{16,}\b"),
    # payments, messages and the rest
    re.compile(r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}\b"),
    re.compile(r"\bwhsec_[0-9A-Za-z+/=]{24,}"),
    re.compile(r"\bxox[abeprs]-[\w-]{10,}", re.ASCII),
    re.compile(r"\bxapp-\d-[\w-]{20,}", re.ASCII),
    re.compile(r"https://hooks\.slack\.com/[\w/-]{20,}", re.ASCII),
    re.compile(r"\bSG\.[\w-]{16,32}\.[\w-]{16,64}", re.ASCII),
    re.compile(r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    re.compile(r"\bhv[sb]\.[\w-]{24,}", re.ASCII),
    re.compile(r"\bdapi[0-9a-f]{32}\b"),
    re.compile(r"\blin_api_[0-9A-Za-z]{30,}\b"),
    re.compile(r"\b\d{8,10}:AA[\w-]{33}\b", re.ASCII),
    # whatever has them
    re.compile(r"\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,}", re.ASCII),
    re.compile(r"\b[a-z][a-z0-9+.-]{0,20}://[^\s:/@\"']{0,100}:[^\s/@\"'{}$<>]{1,200}@", re.IGNORECASE),
    re.compile(
        r"\b(?:proxy-)?authorization[\"']?\s{0,5}[:=]\s{0,5}[\"']?(?:bearer|basic|token)\s{1,5}[\w.~+/=-]{12,}",
        re.IGNORECASE,
    ),
]

_NAME = (
    r"(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|credential)"
)
"""What a secret is called."""

QUOTED_SECRET = re.compile(
    rf"({_NAME}[\"']?\s{{0,5}}(?::|=|=>)\s{{0,5}}[\"'`])([^\"'`\s]{{8,500}})(?=[\"'`])", re.IGNORECASE
)
"""`db_password = "…"`: a text of some length. The name stays, so that what is left can be read."""

PLAIN_SECRET = re.compile(
    rf"({_NAME}\s{{0,5}}[:=]\s{{0,5}})([^\s\"'`,;(){{}}[\]<>]{{8,500}})(?=[ \t]*(?:$|[\n\r,;#]))",
    re.IGNORECASE | re.MULTILINE,
)
"""`DB_PASSWORD=…`, `aws_secret_access_key = …`, `password: …`, as in the files and outputs of programs."""

PLACEHOLDER = re.compile(
    r"^(?:your|my|the|test|example|dummy|fake|change|placeholder|insert|replace|x{3,}|\*{3,}|\.{3})|[<>{}$%]|\.\.\.|…",
    re.IGNORECASE,
)
"""What stands where a secret would, in samples and in code that takes it from elsewhere."""
