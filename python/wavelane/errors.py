"""What goes wrong."""


class Error(Exception):
    """Something isn't there or can't be done, and why."""


class CallbackError(Error):
    """A breakpoint's callback has raised; ``__cause__`` is what it raised.

    The program stands where it happened, and the session can go on.
    """
