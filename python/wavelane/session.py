# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A debugger with a program in it."""
import weakref
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Type, Union

import lldb

from . import commands
from .breakpoints import Breakpoint, Callback
from .errors import CallbackError, Error
from .gpu import GPU, Wave
from .jobs import Job
from .lanes import Thread


def _is_gpu(target: Any) -> bool:
    return bool(target.IsValid()) and (target.GetTriple() or "").startswith("amdgcn")


def _is_alive(target: Any) -> bool:
    process = target.GetProcess()
    return bool(process.IsValid()) and process.GetState() not in (lldb.eStateExited, lldb.eStateDetached)


class Session:
    """A debugger with a program: its host threads, and its GPU once it uses one.

    :param program: the program's file; if omitted, none is loaded yet.
    :param debugger: an SBDebugger to use. If omitted, the session creates one that waits for stops
        (``SetAsync(False)``), and destroys it when it is closed or its ``with`` block ends.
    """

    def __init__(self, program: Optional[str] = None, debugger: Optional[Any] = None) -> None:
        self._owns = debugger is None
        if debugger is None:
            debugger = lldb.SBDebugger.Create()
            debugger.SetAsync(False)
        #: LLDB's SBDebugger.
        self.debugger: Any = debugger
        #: Whether a call of ``run`` or ``resume`` is waiting, which will raise the exceptions of callbacks.
        self.waits = False
        self._breakpoints: "weakref.WeakSet[Breakpoint]" = weakref.WeakSet()
        if program is not None:
            error = lldb.SBError()
            target = debugger.CreateTarget(program, None, None, True, error)
            if error.Fail() or not target.IsValid():
                self.close()
                raise Error(f"'{program}' can't be loaded: {error.GetCString()}")
            debugger.SetSelectedTarget(target)

    # The parts.

    @property
    def host(self) -> Any:
        """The SBTarget of the program's host side."""
        selected = self.debugger.GetSelectedTarget()
        if selected.IsValid() and not _is_gpu(selected):
            return selected
        pid = selected.GetProcess().GetProcessID() if selected.IsValid() else 0
        hosts = [target for target in self._targets() if not _is_gpu(target)]
        for target in hosts:
            if target.GetProcess().IsValid() and target.GetProcess().GetProcessID() == pid:
                return target
        if not hosts:
            raise Error("there is no program: give one to Session, or create a target")
        return hosts[0]

    @property
    def gpu(self) -> GPU:
        """The program's GPU side; raises :class:`Error` while it uses no GPU."""
        selected = self.debugger.GetSelectedTarget()
        if _is_gpu(selected) and _is_alive(selected):
            return GPU(self, selected)
        pid = selected.GetProcess().GetProcessID() if selected.IsValid() else 0
        for target in self._targets():
            if _is_gpu(target) and _is_alive(target) and target.GetProcess().GetProcessID() == pid:
                return GPU(self, target)
        raise Error("the program doesn't use a GPU now")

    @property
    def job(self) -> Job:
        """The debugger's job, if it has several processes that a launcher starts."""
        return Job(self)

    @property
    def threads(self) -> Iterator[Thread]:
        """The threads of the host's process, created as you iterate."""
        process = self.host.GetProcess()
        return (self.thread(process.GetThreadAtIndex(index)) for index in range(process.GetNumThreads()))

    @property
    def selected(self) -> Thread:
        """The selected thread (or :class:`Wave`) at its selected frame; after a stop, the one that stopped."""
        thread = self.debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
        if not thread.IsValid():
            raise Error("no thread is selected: the program isn't running, or has ended")
        frame = thread.GetSelectedFrame()
        return self.thread(thread, frame.GetFrameID() if frame.IsValid() else 0)

    def thread(self, sb_thread: Any, frame: int = 0) -> Thread:
        """The :class:`Thread` or :class:`Wave` of an SBThread."""
        kind = Wave if _is_gpu(sb_thread.GetProcess().GetTarget()) else Thread
        return kind(self, sb_thread, frame)

    def _targets(self) -> List[Any]:
        return [self.debugger.GetTargetAtIndex(index) for index in range(self.debugger.GetNumTargets())]

    # Doing.

    def command(self, text: str) -> str:
        """What an LLDB command prints. Raises :class:`Error` with its text if it fails."""
        return commands.run(self.debugger, text)

    def breakpoint(self, function: Optional[str] = None, *, file: Optional[str] = None, line: Optional[int] = None,
                   regex: Optional[str] = None, condition: Optional[str] = None,
                   callback: Optional[Callback] = None) -> Breakpoint:
        """A breakpoint on host and GPU: at a function, at a line of a file, or where ``regex`` matches in a file.

        ``condition`` is an expression, ``callback`` a Python function that is called for each lane (see
        :class:`Breakpoint`).
        """
        host = self.host
        if function is not None:
            made = host.BreakpointCreateByName(function)
        elif file is not None and line is not None:
            made = host.BreakpointCreateByLocation(file, line)
        elif file is not None and regex is not None:
            made = host.BreakpointCreateBySourceRegex(regex, lldb.SBFileSpec(file))
        else:
            raise Error("a breakpoint wants a function, or a file with a line or a regex")
        if not made.IsValid():
            raise Error("the breakpoint can't be made")
        if condition:
            made.SetCondition(condition)
        result = Breakpoint(self, made, callback)
        self._breakpoints.add(result)
        return result

    def run(self, arguments: Sequence[str] = (), environment: Optional[Dict[str, str]] = None,
            folder: Optional[str] = None) -> Optional[Thread]:
        """Starts the program; returns the thread or wave that stopped, as ``resume`` does.

        As with LLDB's ``run``, it gets this process's environment and LLDB's settings (``target.run-args``,
        ``target.env-vars``). ``arguments`` replaces the former; ``environment`` is added to the latter.
        """
        host = self.host
        info = host.GetLaunchInfo()
        if arguments:
            info.SetArguments(list(arguments), False)
        if environment:
            info.SetEnvironmentEntries([f"{name}={value}" for name, value in environment.items()], True)
        if folder:
            info.SetWorkingDirectory(folder)
        error = lldb.SBError()
        with _Mode(self, asynchronous=self._owns):
            process = host.Launch(info, error)
            if error.Fail():
                raise Error(f"the program can't be started: {error.GetCString()}")
            self._wait(process)
        return self._stopped()

    def attach(self, pid: int) -> Optional[Thread]:
        """Attaches to a running program; returns its selected thread."""
        if not self._targets() or self.host.GetProcess().IsValid():
            self.debugger.SetSelectedTarget(self.debugger.CreateTarget(""))
        error = lldb.SBError()
        with _Mode(self, asynchronous=False):
            self.host.AttachToProcessWithID(self.debugger.GetListener(), pid, error)
        if error.Fail():
            raise Error(f"process {pid} can't be attached to: {error.GetCString()}")
        return self._stopped()

    def resume(self) -> Optional[Thread]:
        """Resumes host and GPU until one of them stops.

        Returns the thread or wave that stopped, or None if the program has ended. Raises :class:`CallbackError` if a
        breakpoint's callback raised an exception; the program is stopped there.
        """
        process = self.debugger.GetSelectedTarget().GetProcess()
        if not process.IsValid() or process.GetState() == lldb.eStateExited:
            process = self.host.GetProcess()
        with _Mode(self, asynchronous=self._owns):
            error = process.Continue()
            if error.Fail():
                raise Error(f"the program can't run on: {error.GetCString()}")
            self._wait(process)
        return self._stopped()

    def step(self, thread: Any, kind: str) -> Optional[Thread]:
        """Has an SBThread do a step: "over", "into", "out" or "instruction"; see :meth:`Thread.step_over`."""
        error = lldb.SBError()
        process = thread.GetProcess()  # A thread that runs doesn't give it.
        with _Mode(self, asynchronous=self._owns):
            if kind == "over":
                thread.StepOver(lldb.eOnlyDuringStepping, error)
            elif kind == "into":
                thread.StepInto(None, lldb.LLDB_INVALID_LINE_NUMBER, error, lldb.eOnlyDuringStepping)
            elif kind == "out":
                thread.StepOut(error)
            elif kind == "instruction":
                thread.StepInstruction(False, error)
            else:
                raise Error(f"there is no step '{kind}': over, into, out or instruction")
            if error.Fail():
                raise Error(f"no step can be done: {error.GetCString()}")
            self._wait(process)
        return self._stopped()

    def travel(self, thread: Any, text: str) -> Optional[Thread]:
        """Runs a command that takes an SBThread, a wave, to another time; returns what has stopped."""
        if not thread.GetFrameAtIndex(0).IsValid():
            raise Error("the wave isn't there at this time: `wavelane.selected()` is the one that has stopped")
        process = thread.GetProcess()
        with _Mode(self, asynchronous=self._owns):
            commands.run(self.debugger, text, thread.GetFrameAtIndex(0))
            self._wait(process)
        return self._stopped()

    def _wait(self, process: Any) -> None:
        """Waits for a process that was just resumed, without a lock: a breakpoint's callback may need it."""
        if not self._owns:
            return  # The debugger's own thread takes the events, so the call that resumes has waited.
        ended = (lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateExited, lldb.eStateDetached)
        listener, event = self.debugger.GetListener(), lldb.SBEvent()
        while True:
            if (listener.WaitForEvent(1, event) and lldb.SBProcess.EventIsProcessEvent(event) and
                    event.GetType() & lldb.SBProcess.eBroadcastBitStateChanged and  # Not its output.
                    lldb.SBProcess.GetProcessFromEvent(event).GetUniqueID() == process.GetUniqueID() and
                    lldb.SBProcess.GetStateFromEvent(event) in ended and
                    not lldb.SBProcess.GetRestartedFromEvent(event)):
                return

    def _stopped(self) -> Optional[Thread]:
        for breakpoint in list(self._breakpoints):
            cause = breakpoint.take_error()
            if cause is not None:
                raise CallbackError(f"the callback of breakpoint {breakpoint.id} has raised {type(cause).__name__}: "
                                    f"{cause}") from cause
        process = self.debugger.GetSelectedTarget().GetProcess()
        if not process.IsValid() or process.GetState() != lldb.eStateStopped:
            return None
        self._select_stopped(process)
        return self.selected

    @staticmethod
    def _select_stopped(process: Any) -> None:
        """If the selected thread has no stop reason, selects the first one that has, as LLDB's commands do."""
        none = (lldb.eStopReasonNone, lldb.eStopReasonInvalid)
        if process.GetSelectedThread().GetStopReason() not in none:
            return
        for index in range(process.GetNumThreads()):
            thread = process.GetThreadAtIndex(index)
            if thread.GetStopReason() not in none:
                process.SetSelectedThread(thread)
                return

    @property
    def exit_status(self) -> Optional[int]:
        """The program's exit status; None before it has ended."""
        process = self.host.GetProcess()
        return int(process.GetExitStatus()) if process.GetState() == lldb.eStateExited else None

    @property
    def output(self) -> str:
        """What the program has printed since the last call, if it has no terminal of its own."""
        text = ""
        process = self.host.GetProcess()
        while True:
            more: str = process.GetSTDOUT(1 << 16)
            if not more:
                return text
            text += more

    def kill(self) -> None:
        """Ends the program."""
        self.host.GetProcess().Kill()

    def close(self) -> None:
        """Kills the program and destroys the debugger, if the session created the debugger."""
        if not self._owns or not self.debugger.IsValid():
            return
        for target in self._targets():
            if not _is_gpu(target) and target.GetProcess().IsValid():
                target.GetProcess().Kill()
        lldb.SBDebugger.Destroy(self.debugger)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session of debugger {self.debugger.GetID()}>"


class _Mode:
    """Whether LLDB's calls that resume a program return at once, or when it has stopped."""

    def __init__(self, session: Session, asynchronous: bool) -> None:
        self._session = session
        self._asynchronous = asynchronous
        self._before = session.debugger.GetAsync()

    def __enter__(self) -> None:
        self._session.waits = True
        self._session.debugger.SetAsync(self._asynchronous)

    def __exit__(self, *_: Union[None, Type[BaseException], BaseException, TracebackType]) -> None:
        self._session.debugger.SetAsync(self._before)
        self._session.waits = False


_sessions: Dict[int, Session] = {}


def session(debugger: Optional[Any] = None) -> Session:
    """The session of a debugger; without one, of the debugger in whose ``script`` this is called."""
    if debugger is None:
        debugger = getattr(lldb, "debugger", None)
        if debugger is None or not debugger.IsValid():
            raise Error("there is no debugger here: give one, or make a Session")
    number = int(debugger.GetID())
    if number not in _sessions:
        _sessions[number] = Session(debugger=debugger)
    return _sessions[number]


def selected(debugger: Optional[Any] = None) -> Thread:
    """The selected thread or wave of a debugger; without one, of the debugger in whose ``script`` this is called."""
    return session(debugger).selected
