from .other import borrowed

__all__ = ["shown", "borrowed", "_odd"]
__all__ += ["Late"]


def shown():
    pass


def not_listed():
    pass


def _odd():
    pass


class Late:
    pass
