__all__ = [name for name in dir()]


def shown():
    pass
