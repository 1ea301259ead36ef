# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's exceptions."""


class Error(Exception):
    """Something failed; the text says what and why."""


class CallbackError(Error):
    """A breakpoint's callback raised an exception, which is ``__cause__``.

    The program is stopped where it happened, and the session can continue.
    """
