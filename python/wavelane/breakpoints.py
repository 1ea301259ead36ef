# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints whose callback is asked in each lane."""
import itertools
import traceback
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from .errors import Error
from .lanes import Lane, Thread

if TYPE_CHECKING:
    from .session import Session

#: What a callback is given, and says: False lets the lane pass, anything else stops.
Callback = Callable[[Lane], Any]

_numbers = itertools.count(1)
_known: Dict[int, "Breakpoint"] = {}


class Breakpoint:
    """A breakpoint of the program, on host and GPU.

    Its callback is called for each lane that comes by: those that execute, and, where there is a condition, those for
    which it holds. A thread or wave stops unless all calls have returned False. It may look at the lane and its wave,
    and change them; it must not let the program run. When it raises, the program stops there, and :meth:`Session.run`
    and :meth:`Session.resume` raise :class:`CallbackError`; where LLDB's own commands let the program run, its
    traceback is shown.
    """

    def __init__(self, session: "Session", breakpoint: Any, callback: Optional[Callback] = None) -> None:
        self._session = session
        self._breakpoint = breakpoint
        self._number = next(_numbers)
        self._callback: Optional[Callback] = None
        #: What the callback has raised, oldest first.
        self.errors: List[BaseException] = []
        self._told = 0
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
        """What is called for each lane; None stops always. It can be set, and counts from the next resume on."""
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
        """Holds in the lanes for which it stops, or calls. It can be set."""
        return self._breakpoint.GetCondition() or None

    @condition.setter
    def condition(self, condition: Optional[str]) -> None:
        self._breakpoint.SetCondition(condition or "")

    @property
    def enabled(self) -> bool:
        """Whether it stops at all. It can be set."""
        return bool(self._breakpoint.IsEnabled())

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._breakpoint.SetEnabled(enabled)

    def delete(self) -> None:
        """Takes it away, from host and GPU."""
        _known.pop(self._number, None)
        self._breakpoint.GetTarget().BreakpointDelete(self.id)

    def note(self, error: BaseException, stop: int) -> None:
        """Keeps what the callback has raised, and shows it once for a stop where nobody waits for it."""
        self.errors.append(error)
        if not self._session.waits and self._shown != stop:
            self._shown = stop
            traceback.print_exception(type(error), error, error.__traceback__)

    def take_error(self) -> Optional[BaseException]:
        """The last of ``errors``, if it is newer than the last call of this."""
        if len(self.errors) == self._told:
            return None
        self._told = len(self.errors)
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
    """Called by LLDB when a thread or wave has come to a breakpoint; says whether it stops."""
    found = _known.get(number)
    if found is None:
        return True
    try:
        # That of the thread's own target: the other one may be locked by who waits for it to stop.
        condition = location.GetCondition() or location.GetBreakpoint().GetCondition()
        return found._hit(found._session.thread(frame.GetThread()), condition)
    except Exception as error:  # Whatever a callback raises.
        found.note(error, frame.GetThread().GetProcess().GetStopID())
        return True
