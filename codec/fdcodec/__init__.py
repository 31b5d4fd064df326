"""fdcodec: image compression whose transform is learned.

``encode``, ``decode``, ``decode_region``, ``read_header``, ``info``, ``check``, ``learn``, ``open`` and
``register_pillow`` are the public face, with the errors in `fdcodec.errors`. They are imported on first use, so that
importing the package costs next to nothing and no numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fdcodec.api import decode, decode_region, encode, read_header
    from fdcodec.api_learn import learn
    from fdcodec.inspection import info
    from fdcodec.integrations.pillow import register_pillow
    from fdcodec.reader import Reader as open  # noqa: N813
    from fdcodec.verification import check

__version__ = "0.1.0"
__all__ = ["__version__", "check", "decode", "decode_region", "encode", "errors", "info", "learn", "open"]
__all__ += ["read_header", "register_pillow"]

_HOMES = {
    "check": ("fdcodec.verification", "check"),
    "decode": ("fdcodec.api", "decode"),
    "decode_region": ("fdcodec.api", "decode_region"),
    "encode": ("fdcodec.api", "encode"),
    "info": ("fdcodec.inspection", "info"),
    "learn": ("fdcodec.api_learn", "learn"),
    "open": ("fdcodec.reader", "Reader"),
    "read_header": ("fdcodec.api", "read_header"),
    "register_pillow": ("fdcodec.integrations.pillow", "register_pillow"),
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("fdcodec.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'fdcodec' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
