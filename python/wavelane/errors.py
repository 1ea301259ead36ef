# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong."""


class Error(Exception):
    """Something can't be had or done, and why."""


class CallbackError(Error):
    """A breakpoint's callback has raised; ``__cause__`` is what it raised.

    The program stands where it happened, and the session can go on.
    """
