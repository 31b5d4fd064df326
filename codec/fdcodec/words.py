"""Words of messages."""


def counted(number: int, noun: str) -> str:
    """Return for instance ``1 tile`` or ``2 tiles``."""
    return f"{number} {noun}{'s'[: number != 1]}"
