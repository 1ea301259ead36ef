# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints with a callback that is called for each lane."""
import itertools
import traceback
from typing import Any, Callable, Dict, List, Optional

from .errors import Error
from .lanes import Lane, Owner, Thread

#: A callback: returns False to let the lane pass, anything else to stop.
Callback = Callable[[Lane], Any]

_numbers = itertools.count(1)
_known: Dict[int, "Breakpoint"] = {}


class Breakpoint:
    """A breakpoint of the program, on host and GPU.

    Its callback is called for each lane that reaches the breakpoint: the executing lanes in which the condition, if
    any, holds. The thread or wave stops unless all calls return False. The callback may read and change the lane and
    its wave; it must not resume the program. If it raises, the program stops there, and :meth:`Session.run` and
    :meth:`Session.resume` raise :class:`CallbackError`; if one of LLDB's commands resumed the program, the traceback
    is printed.
    """

    def __init__(self, session: Owner, breakpoint: Any, callback: Optional[Callback] = None) -> None:
        self._session = session
        self._breakpoint = breakpoint
        self._number = next(_numbers)
        self._callback: Optional[Callback] = None
        #: The exceptions that the callback has raised, oldest first.
        self.errors: List[BaseException] = []
        self._reported = 0
        self._shown: Optional[int] = None
        if callback is not None:
            self.callback = callback

    @property
    def sb_breakpoint(self) -> Any:
        """LLDB's breakpoint in the host's target; the GPU's has the same number."""
        return self._breakpoint

    @property
    def id(self) -> int:
        """Its number."""
        return int(self._breakpoint.GetID())

    @property
    def callback(self) -> Optional[Callback]:
        """The function called for each lane; None always stops. Can be set, effective from the next resume on."""
        return self._callback

    @callback.setter
    def callback(self, callback: Optional[Callback]) -> None:
        self._callback = callback
        if callback is None:
            _known.pop(self._number, None)
        else:
            _known[self._number] = self
        error = self._breakpoint.SetScriptCallbackBody(
            f"import wavelane.breakpoints\nreturn wavelane.breakpoints.run({self._number}, frame, bp_loc)")
        if error.Fail():
            raise Error(f"the callback can't be set: {error.GetCString()}")

    @property
    def condition(self) -> Optional[str]:
        """The expression that must hold in a lane. Can be set."""
        return self._breakpoint.GetCondition() or None

    @condition.setter
    def condition(self, condition: Optional[str]) -> None:
        self._breakpoint.SetCondition(condition or "")

    @property
    def enabled(self) -> bool:
        """Whether it stops at all. Can be set."""
        return bool(self._breakpoint.IsEnabled())

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._breakpoint.SetEnabled(enabled)

    def delete(self) -> None:
        """Deletes it from host and GPU."""
        _known.pop(self._number, None)
        self._breakpoint.GetTarget().BreakpointDelete(self.id)

    def note(self, error: BaseException, stop: int) -> None:
        """Keeps an exception of the callback; prints it, once a stop, if no call of the session will raise it."""
        self.errors.append(error)
        if not self._session.waits and self._shown != stop:
            self._shown = stop
            traceback.print_exception(type(error), error, error.__traceback__)

    def take_error(self) -> Optional[BaseException]:
        """The last of ``errors``, if it is newer than the last call."""
        if len(self.errors) == self._reported:
            return None
        self._reported = len(self.errors)
        return self.errors[-1]

    def _hit(self, thread: Thread, condition: Optional[str]) -> bool:
        """Whether the thread stops."""
        stops = False
        for lane in self._lanes(thread, condition):
            if self._callback is None or self._callback(lane) is not False:
                stops = True
        return stops

    @staticmethod
    def _lanes(thread: Thread, condition: Optional[str]) -> List[Lane]:
        lanes = thread.lanes
        about = getattr(thread, "stop_lanes", None)
        if about is not None:
            return [lanes[number] for number in about]
        return thread.find(condition) if condition else lanes.active

    def __repr__(self) -> str:
        return f"<Breakpoint {self.id}>"


def run(number: int, frame: Any, location: Any) -> bool:
    """Called by LLDB when a thread or wave reaches a breakpoint; returns whether it stops."""
    found = _known.get(number)
    if found is None:
        return True
    try:
        # From the thread's own target: the other target may be locked by a command that waits for its stop.
        condition = location.GetCondition() or location.GetBreakpoint().GetCondition()
        return found._hit(found._session.thread(frame.GetThread()), condition)
    except Exception as error:  # Whatever a callback raises.
        found.note(error, frame.GetThread().GetProcess().GetStopID())
        return True
