"""What the client says of its work: never a key, never what a caller typed."""

from __future__ import annotations

import logging
import os
import re
import sys
from typing import TYPE_CHECKING

from cairn_client._retries import SHORT_WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cairn_client._request import Prepared

NAME = "cairn_client"
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "warning": logging.WARNING}
_LEVELS |= {"error": logging.ERROR, "off": logging.CRITICAL + 1}

_HARMLESS = re.compile(r"accept|content-type|idempotency-key|user-agent|x-cairn-.*", re.IGNORECASE)
"""Headers that hold no secret, whoever sets them. The value of any other may open something."""


def default_logger() -> logging.Logger:
    """The logger `cairn_client`, at the level that `CAIRN_LOG` names. What nobody else takes goes to stderr."""
    logger = logging.getLogger(NAME)
    asked = os.environ.get("CAIRN_LOG", "").strip().lower()
    if not asked:
        return logger
    if asked not in _LEVELS:
        logger.warning("CAIRN_LOG is no level; expected one of %s", ", ".join(_LEVELS))
        return logger
    logger.setLevel(_LEVELS[asked])
    if not logger.hasHandlers():
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
    return logger


def tell_of_wait(logger: logging.Logger, prepared: Prepared, why: str, attempt: int, wait: float) -> None:
    """Says that a request is sent again in `wait` seconds, after so many attempts before the last one.

    Who waits for long is told by default, too.
    """
    logger.log(
        logging.INFO if wait <= SHORT_WAIT else logging.WARNING,
        "%s %s: %s; attempt %d of %d follows in %.2f s",
        *(prepared.method, prepared.path, why, attempt + 2, prepared.max_retries + 1, wait),
    )


def shown(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as a log may have them."""
    return {name: value if _HARMLESS.fullmatch(name) else "***" for name, value in headers.items()}
