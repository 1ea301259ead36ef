# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads with lanes: waves of a GPU, and threads of a CPU in widened loops."""
import importlib
import json
import sys
from typing import Any, Dict, Iterator, List, Optional, Protocol, Sequence, Tuple, Union, overload

import lldb

from . import commands, notebook, values
from .errors import Error
from .location import Location
from .memory import Memory

Triple = Tuple[int, int, int]


def _triple(numbers: Optional[Sequence[int]]) -> Optional[Triple]:
    return (numbers[0], numbers[1], numbers[2]) if numbers is not None else None


def _numpy() -> Any:
    """The module, but not one in the current folder, where LLDB searches as well, and which may be anybody's."""
    searched = sys.path[:]
    sys.path[:] = [folder for folder in searched if folder not in ("", ".")]
    try:
        return importlib.import_module("numpy")
    except ImportError:
        raise Error("numpy is not installed (Debian: python3-numpy); list(values) needs none") from None
    finally:
        sys.path[:] = searched


class Owner(Protocol):
    """A :class:`Session`, as its threads see it."""

    #: LLDB's SBDebugger.
    debugger: Any
    waits: bool

    @property
    def host(self) -> Any: ...

    @property
    def gpu(self) -> Any: ...

    @property
    def job(self) -> Any: ...

    def thread(self, sb_thread: Any, frame: int = 0) -> "Thread": ...

    def command(self, text: str) -> str: ...

    def step(self, thread: Any, kind: str) -> Optional["Thread"]: ...

    def travel(self, thread: Any, text: str) -> Optional["Thread"]: ...


class Variable:
    """The value of a variable or expression in one lane, when it was read."""

    def __init__(self, lane: "Lane", expression: str, text: str, type_name: str, value: Any,
                 data: Optional[bytes], error: Optional[str] = None) -> None:
        self._lane = lane
        #: Its name, or the expression.
        self.name = expression
        #: The value as LLDB shows it.
        self.text = text
        #: The name of its type.
        self.type = type_name
        #: The value in Python: a number, a list for an array, a dict for a struct (:func:`wavelane.values.decode`).
        self.value = value
        #: Its bytes; None if there are more than 64 KiB.
        self.bytes = data
        #: Why it has no value; None if it has one. Only ``variables`` includes variables without a value.
        self.error = error

    @property
    def lane(self) -> "Lane":
        """The lane that it belongs to."""
        return self._lane

    @property
    def location(self) -> Location:
        """Where it is; for a variable's name only, not an expression."""
        return self._lane.location(self.name)

    def set(self, value: Union[int, float, bool, str]) -> None:
        """Assigns ``value``, a number or an expression, in the program, and reads the variable again."""
        self._lane.assign(self.name, value)
        self.__dict__.update(self._lane.variable(self.name).__dict__)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"<Variable {self.name} of lane {self._lane.index}: {self.error or self.text}>"


class Frame:
    """A frame of a lane (``thread lane backtrace --json``)."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def index(self) -> int:
        """The number of LLDB's frame, as for :meth:`Thread.frame`."""
        return int(self.data["frame"])

    @property
    def pc(self) -> int:
        """The address where the lane is."""
        return int(self.data["pc"])

    @property
    def function(self) -> Optional[str]:
        """The function's name."""
        return self.data.get("function")

    @property
    def line(self) -> Optional[str]:
        """Its source line, such as ``saxpy.hip:13:5``."""
        return self.data.get("line")

    @property
    def is_guess(self) -> bool:
        """Whether the frame is a guess."""
        return bool(self.data["guess"])

    def __repr__(self) -> str:
        return f"<Frame {self.index} {self.function} {self.line or ''}>"


class Lane:
    """A lane of a thread, in one of its frames."""

    def __init__(self, thread: "Thread", index: int, record: Optional[Dict[str, Any]] = None) -> None:
        self._thread = thread
        self._index = index
        self._record = record

    @property
    def data(self) -> Dict[str, Any]:
        """Its entry in ``thread lane list --json``, which is asked for once."""
        if self._record is None:
            self._record = self._thread.lanes[self._index].data
        return self._record

    @property
    def index(self) -> int:
        """Its number."""
        return self._index

    @property
    def thread(self) -> "Thread":
        """Its thread or wave."""
        return self._thread

    @property
    def active(self) -> bool:
        """Whether it executes here. An inactive lane's values may be stale."""
        return bool(self.data["active"])

    @property
    def caused_stop(self) -> bool:
        """Whether the thread has stopped because of it: a finding of a check, a watchpoint, an exception."""
        return bool(self.data.get("caused_stop"))

    @property
    def is_focus(self) -> bool:
        """Whether it is the thread's focus lane."""
        return bool(self.data["focus"])

    @property
    def work_item(self) -> Optional[Triple]:
        """Its work-item's position in the workgroup, or None if it has none."""
        return _triple(self.data.get("work_item"))

    @property
    def grid_item(self) -> Optional[Triple]:
        """Its work-item's position in the grid."""
        return _triple(self.data.get("grid"))

    @property
    def line(self) -> Optional[str]:
        """Its source line, such as ``saxpy.hip:13:13``; None for inactive lanes."""
        return self.data.get("line")

    @property
    def goes_on_at(self) -> Optional[str]:
        """Where an inactive lane will continue; None for active lanes, and if it is unknown."""
        return self.data.get("goes_on_at")

    @property
    def done(self) -> bool:
        """Whether it will execute nothing more before its thread ends."""
        return bool(self.data.get("done"))

    @property
    def name(self) -> Optional[str]:
        """The user's name for it."""
        return self.data.get("name")

    @property
    def stack(self) -> List[Frame]:
        """Its frames, innermost first: an inactive lane may continue at another line than its wave, or in a caller."""
        answer = self._thread.command_json(f"thread lane backtrace --json --lanes {self._index}")
        return [Frame(frame) for frame in answer[0]["frames"]]

    @property
    def variables(self) -> Dict[str, Variable]:
        """The frame's arguments and local variables, by name. Some may have an ``error`` instead of a value."""
        return self._thread.read_variables(self._index)

    def variable(self, name: str) -> Variable:
        """The variable ``name``, or any expression, in this lane."""
        return self._thread.read(name, [self._index])[self._index]

    def value(self, expression: str) -> Any:
        """``variable(expression).value``."""
        return self.variable(expression).value

    def location(self, name: str) -> Location:
        """Where the variable ``name`` is for this lane, and why."""
        return self._thread.location(name, self._index)

    def assign(self, name: str, value: Union[int, float, bool, str]) -> None:
        """Assigns ``value``, a number or an expression, to the variable or expression ``name`` in this lane."""
        text = str(int(value)) if isinstance(value, bool) else repr(value) if isinstance(value, (int, float)) else value
        self.command(f"expression -- {name} = {text}")

    def memory(self, space: Union[str, int]) -> Memory:
        """Memory of an address space, seen from this lane."""
        return self._thread.memory(space, self._index)

    def command(self, text: str) -> str:
        """The output of an LLDB command, run with this lane as the focus lane."""
        return self._thread.command(f"thread lane apply --quiet {self._index} {text}")

    def command_json(self, text: str) -> Any:
        """The answer of a command with ``--json`` for this lane."""
        return self._thread.command_json(f"thread lane apply --quiet {self._index} {text}")

    def origin(self, expression: str, until: Optional[str] = None) -> "Origin":
        """Where a value of this lane comes from (``thread lane origin``): a variable, a register or memory.

        With ``until``, a condition such as ``isnan`` or ``> 100``, only where it began to hold.
        """
        condition = f"--until {commands.quote(until)} " if until is not None else ""
        return Origin(self, condition, self.command_json(f"thread lane origin --json {condition}-- {expression}"))

    def history(self, expression: str) -> "Iterator[OriginStep]":
        """What the place of a variable had before, the latest value first, each with the line that wrote it.

        Ends where the recording or the wave begins. The variable should be in memory, as at -O0: a register is used
        for other values, too.
        """
        options = "--history "
        answer = Origin(self, options, self.command_json(f"thread lane origin {options}--json -- {expression}"))
        return iter([step for step in answer.steps if step.line is not None])

    def select(self) -> None:
        """Makes it the focus lane, and selects its thread: commands and editors then show it."""
        self._thread.select()
        self._thread.focus = self._index
        self._record = None

    def __repr__(self) -> str:
        return f"<Lane {self._index} of {self._thread.name}>"


class OriginStep:
    """A source line's part in a value, or where the value begins (:meth:`Lane.origin`)."""

    def __init__(self, origin: "Origin", data: Dict[str, Any]) -> None:
        self._origin = origin
        #: Its entry in ``thread lane origin --json``.
        self.data = data

    @property
    def number(self) -> int:
        """Its number, as for ``thread lane origin --follow``."""
        return int(self.data["step"])

    @property
    def kind(self) -> str:
        """``step``, ``constant``, ``argument``, ``store`` (by another wave), ``host`` and others."""
        return str(self.data["kind"])

    @property
    def value(self) -> Optional[str]:
        """The value that it gave, as text."""
        return self.data.get("value")

    @property
    def line(self) -> Optional[str]:
        """The source line; None for what isn't an instruction."""
        return self.data.get("line")

    @property
    def source(self) -> Optional[str]:
        """The line's text."""
        return self.data.get("source")

    @property
    def lane(self) -> Optional[int]:
        """The lane that executed it; None if it was for the whole wave."""
        return self.data.get("lane")

    @property
    def wave(self) -> Optional[str]:
        """The name of its wave."""
        return self.data.get("wave")

    @property
    def text(self) -> Optional[str]:
        """What it is, if it isn't a line: a kernel's argument, a copy by the host."""
        return self.data.get("text")

    @property
    def inputs(self) -> List["OriginStep"]:
        """The steps that gave it its inputs."""
        return [self._origin.steps[number - 1] for number in self.data["inputs"]]

    def follow(self) -> Optional["Thread"]:
        """Goes back to it; returns the wave that stopped there, as :meth:`Session.resume` does."""
        return self._origin.follow(self)

    def __repr__(self) -> str:
        return f"<OriginStep {self.number} {self.kind} {self.value or ''} {self.line or self.text or ''}>"


class Origin:
    """Where a value comes from (``thread lane origin --json``)."""

    def __init__(self, lane: Lane, options: str, data: Dict[str, Any]) -> None:
        self._lane = lane
        self._options = options
        self.data = data
        #: All steps, each before its inputs.
        self.steps: List[OriginStep] = [OriginStep(self, step) for step in data["steps"]]

    @property
    def expression(self) -> str:
        """What was asked for."""
        return str(self.data["expression"])

    @property
    def value(self) -> Optional[str]:
        """Its value, as text."""
        return self.data.get("value")

    @property
    def top(self) -> List[OriginStep]:
        """The steps that gave the value itself."""
        return [self.steps[number - 1] for number in self.data["top"]]

    @property
    def first(self) -> Optional[OriginStep]:
        """With a condition: the first step for which it held."""
        number = self.data.get("first")
        return self.steps[number - 1] if number is not None else None

    @property
    def leaves(self) -> List[OriginStep]:
        """The steps without inputs."""
        return [step for step in self.steps if not step.data["inputs"]]

    def follow(self, step: OriginStep) -> Optional["Thread"]:
        """Goes back to a step."""
        thread = self._lane.thread
        self._lane.select()
        command = f"thread lane origin --follow {step.number} {self._options}-- {self.expression}"
        return thread.session.travel(thread.sb_thread, command)

    def __repr__(self) -> str:
        return f"<Origin of {self.expression}: {len(self.steps)} steps>"


class Lanes(Sequence[Lane]):
    """The lanes of a thread in a frame. They are asked for once, on first use."""

    def __init__(self, thread: "Thread") -> None:
        self._thread = thread
        self._answer: Optional[Dict[str, Any]] = None

    @property
    def data(self) -> Dict[str, Any]:
        """The answer of ``thread lane list --json``."""
        if self._answer is None:
            self._answer = dict(self._thread.command_json("thread lane list --json"))
        return self._answer

    @property
    def active(self) -> List[Lane]:
        """The executing lanes."""
        return [lane for lane in self if lane.active]

    @property
    def focus(self) -> Lane:
        """The focus lane."""
        return self[int(self.data["focus"])]

    def __len__(self) -> int:
        return int(self.data["lane_count"])

    @overload
    def __getitem__(self, index: int) -> Lane: ...

    @overload
    def __getitem__(self, index: slice) -> List[Lane]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Lane, List[Lane]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        count = len(self)
        at = index + count if index < 0 else index
        if not 0 <= at < count:
            raise IndexError(f"lane {index} does not exist: there are lanes 0-{count - 1}")
        return Lane(self._thread, at, self.data["lanes"][at])

    def __repr__(self) -> str:
        return f"<{len(self)} lanes of {self._thread.name}>"

    def _repr_html_(self) -> str:
        return notebook.lane_grid(self._thread.name, self)


class LaneValues(Sequence[Any]):
    """An expression's value in every lane: ``values[17]``. None if it can't be read; see ``errors``."""

    def __init__(self, thread: "Thread", answer: Dict[str, Any], kind: Optional[Any]) -> None:
        self._thread = thread
        self._kind = kind
        #: The answer of ``thread lane print --json``.
        self.data = answer
        self._entries: Dict[int, Dict[str, Any]] = {entry["lane"]: entry for entry in answer["values"]}
        self._count = max(self._entries, default=-1) + 1
        self._values: Dict[int, Any] = {}

    @property
    def expression(self) -> str:
        """The expression."""
        return str(self.data["expression"])

    @property
    def type(self) -> str:
        """The name of its type."""
        return str(self.data["type"])

    @property
    def active(self) -> List[bool]:
        """For each lane, whether it executes here. An inactive lane's value may be stale."""
        return [bool(self._entries.get(lane, {}).get("active")) for lane in range(self._count)]

    @property
    def errors(self) -> Dict[int, str]:
        """Why lanes have no value, by lane."""
        return {lane: str(entry["error"]) for lane, entry in self._entries.items() if "error" in entry}

    @property
    def stale(self) -> Dict[int, str]:
        """The variables that a lane's value depends on and that may have changed since, by lane: ``"t [value at line 12]"``."""
        return {lane: str(entry["stale"]) for lane, entry in self._entries.items() if "stale" in entry}

    @property
    def texts(self) -> List[Optional[str]]:
        """The values as LLDB shows them."""
        return [self._entries.get(lane, {}).get("value") for lane in range(self._count)]

    def variable(self, lane: int) -> Variable:
        """The value in a lane, with its text, type and bytes."""
        entry = self._entries.get(lane)
        if entry is None:
            raise Error(f"lane {lane} was not read")
        if "error" in entry:
            raise Error(f"lane {lane}: {entry['error']}")
        data = bytes.fromhex(entry["bytes"]) if "bytes" in entry else None
        return Variable(Lane(self._thread, lane), self.expression, entry["value"], self.type, self[lane], data)

    def array(self) -> Any:
        """A numpy array with an element for each lane, masked if some lanes have no value.

        Structs become structured elements, arrays further dimensions.
        """
        numpy = _numpy()
        missing = [lane for lane in range(self._count) if "bytes" not in self._entries.get(lane, {})]
        code = values.dtype(self._kind) if self._kind is not None else None
        if code is None:
            result = numpy.array([None] * self._count, dtype=object)
            for lane in range(self._count):
                result[lane] = self[lane]
        else:
            kind = numpy.dtype(code)
            size = self._kind.GetByteSize() if self._kind is not None else 0
            data = b"".join(bytes(size) if lane in missing else bytes.fromhex(self._entries[lane]["bytes"])[:size]
                            for lane in range(self._count))
            base: Any = kind
            shape: Tuple[int, ...] = ()
            while base.subdtype is not None:
                base, inner = base.subdtype
                shape = (*shape, *inner)
            result = numpy.frombuffer(data, dtype=base).reshape((self._count, *shape)).copy()
        if not missing:
            return result
        mask = numpy.zeros(result.shape, dtype=bool)
        mask[missing] = True
        return numpy.ma.array(result, mask=mask)

    def __array__(self, dtype: Any = None) -> Any:
        result = self.array()
        return result if dtype is None else result.astype(dtype)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> List[Any]: ...

    def __getitem__(self, index: Union[int, slice]) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        lane = index + self._count if index < 0 else index
        if not 0 <= lane < self._count:
            raise IndexError(f"lane {index} does not exist: there are lanes 0-{self._count - 1}")
        if lane not in self._values:
            entry = self._entries.get(lane, {})
            value = entry.get("value")
            if "bytes" in entry and self._kind is not None:
                value = values.decode(self._kind, bytes.fromhex(entry["bytes"]))
            self._values[lane] = value
        return self._values[lane]

    def __repr__(self) -> str:
        return f"<{self.expression}: {list(self)!r}>"

    def _repr_html_(self) -> str:
        return notebook.value_map(self)


class Matrix:
    """A tile of a matrix instruction (``gpu matrix --json``)."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def instruction(self) -> str:
        """Such as ``v_mfma_i32_16x16x16i8``."""
        return str(self.data["instruction"])

    @property
    def matrix(self) -> str:
        """Which operand of D = A * B + C it is."""
        return str(self.data["matrix"])

    @property
    def done(self) -> bool:
        """Whether the wave has executed the instruction; if not, the PC is at it."""
        return bool(self.data["done"])

    @property
    def blocks(self) -> List[List[List[float]]]:
        """The rows of each block."""
        return [[list(row) for row in block] for block in self.data["blocks"]]

    def __repr__(self) -> str:
        return f"<Matrix {self.matrix} of {self.instruction}>"


class Thread:
    """A thread with lanes, in one of its frames: a CPU thread, or a wave (:class:`wavelane.Wave`)."""

    def __init__(self, session: Owner, thread: Any, frame: int = 0) -> None:
        self._session = session
        self._thread = thread
        self._frame_index = frame

    @property
    def session(self) -> Owner:
        """The :class:`Session` that it belongs to."""
        return self._session

    @property
    def sb_thread(self) -> Any:
        """LLDB's SBThread."""
        return self._thread

    @property
    def sb_frame(self) -> Any:
        """LLDB's frame, in which variables are read."""
        frame = self._thread.GetFrameAtIndex(self._frame_index)
        if not frame.IsValid():
            state = self._thread.GetProcess().GetState()
            if not self._thread.IsValid() or state in (lldb.eStateExited, lldb.eStateInvalid, lldb.eStateDetached):
                raise Error("the thread is gone")
            if state != lldb.eStateStopped:
                raise Error("the program is running: stop it first")
            raise Error(f"there is no frame {self._frame_index}")
        return frame

    @property
    def tid(self) -> int:
        """Its thread id; for a wave, the server's number."""
        return int(self._thread.GetThreadID())

    @property
    def index(self) -> int:
        """Its number in LLDB (``thread #3``)."""
        return int(self._thread.GetIndexID())

    @property
    def name(self) -> str:
        """Its name."""
        return str(self._thread.GetName() or f"thread #{self.index}")

    @property
    def is_alive(self) -> bool:
        """Whether it still exists."""
        return bool(self._thread.IsValid())

    @property
    def stop_reason(self) -> str:
        """Why it stopped, in words; empty if it stopped only because another one did."""
        return str(self._thread.GetStopDescription(1024) or "")

    @property
    def stop(self) -> Optional[Dict[str, Any]]:
        """Why it stopped, as a record: ``kind``, ``finding``, ``address``, ``lanes``, ... (docs/scripting.md)."""
        # LLDB's function needs a reason.
        if self._thread.GetStopReason() in (lldb.eStopReasonInvalid, lldb.eStopReasonNone):
            return None
        stream = lldb.SBStream()
        if not self._thread.GetStopReasonExtendedInfoAsJSON(stream) or not stream.GetSize():
            return None
        record = json.loads(stream.GetData()).get("stop")
        return dict(record) if record else None

    @property
    def frame_index(self) -> int:
        """The number of the frame in which variables are read."""
        return self._frame_index

    @property
    def frame_count(self) -> int:
        """How many frames it has."""
        return int(self._thread.GetNumFrames())

    @property
    def function(self) -> Optional[str]:
        """The name of the frame's function."""
        return self.sb_frame.GetDisplayFunctionName() or None

    @property
    def line(self) -> Optional[str]:
        """The frame's source line, such as ``saxpy.hip:13``."""
        entry = self.sb_frame.GetLineEntry()
        return f"{entry.GetFileSpec().GetFilename()}:{entry.GetLine()}" if entry.IsValid() else None

    @property
    def is_guess(self) -> bool:
        """Whether it is a guess: neither call-frame information nor a symbol gives its callee's beginning."""
        active = self.active_lanes
        if self._frame_index == 0 or not active:
            return False
        answer = self.frame(0).command_json(f"thread lane backtrace --json --lanes {active[0]}")
        return any(frame["guess"] for frame in answer[0]["frames"] if frame["frame"] == self._frame_index)

    @property
    def frames(self) -> List["Thread"]:
        """The same thread in each of its frames, innermost first."""
        return [type(self)(self._session, self._thread, index) for index in range(self.frame_count)]

    @property
    def variables(self) -> Dict[str, Variable]:
        """The frame's arguments and local variables in the focus lane, by name. Some may have an ``error`` instead of a
        value."""
        return self.read_variables(self.focus)

    def read_variables(self, lane: int) -> Dict[str, Variable]:
        """The frame's arguments and local variables in a lane, by name."""
        found: Dict[str, Variable] = {}
        for value in self.sb_frame.GetVariables(True, True, False, True):
            name = str(value.GetName())
            try:
                found[name] = self.read(name, [lane])[lane]
            except Error as error:
                found[name] = Variable(Lane(self, lane), name, "", str(value.GetTypeName()), None, None, str(error))
        return found

    def step_over(self) -> Optional["Thread"]:
        """Continues to the next line of this frame, as ``next`` does; for a wave, to the focus lane's.

        Returns what has stopped then, as :meth:`Session.resume` does.
        """
        return self._session.step(self._thread, "over")

    def step_into(self) -> Optional["Thread"]:
        """Continues to the next line, into functions that are called, as ``step`` does."""
        return self._session.step(self._thread, "into")

    def step_out(self) -> Optional["Thread"]:
        """Continues until the function has returned, as ``finish`` does."""
        return self._session.step(self._thread, "out")

    def step_instruction(self) -> Optional["Thread"]:
        """Executes one instruction, as ``stepi`` does."""
        return self._session.step(self._thread, "instruction")

    def frame(self, index: int) -> "Thread":
        """The same thread in another frame: 1 is the caller."""
        other = type(self)(self._session, self._thread, index)
        other.sb_frame
        return other

    def select(self) -> None:
        """Selects it, its frame and its target, as ``target``, ``thread`` and ``frame select`` do."""
        frame = self.sb_frame
        process = self._thread.GetProcess()
        self._session.debugger.SetSelectedTarget(process.GetTarget())
        process.SetSelectedThread(self._thread)
        self._thread.SetSelectedFrame(frame.GetFrameID())

    @property
    def lanes(self) -> Lanes:
        """Its lanes in their current state."""
        return Lanes(self)

    @property
    def lane_count(self) -> int:
        """How many lanes it has in this frame."""
        return len(self.lanes)

    @property
    def active_lanes(self) -> List[int]:
        """The numbers of the executing lanes."""
        return [entry["lane"] for entry in self.lanes.data["lanes"] if entry["active"]]

    @property
    def focus(self) -> int:
        """The focus lane, which commands and editors show. Can be set."""
        return int(self.focus_info["lane"])

    @focus.setter
    def focus(self, lane: int) -> None:
        self.command(f"thread lane select {lane}")

    @property
    def focus_info(self) -> Dict[str, Any]:
        """The answer of ``thread lane info --json``: the focus lane."""
        return dict(self.command_json("thread lane info --json"))

    def command(self, text: str) -> str:
        """What an LLDB command prints for this thread and frame, whichever are selected."""
        return commands.run(self._session.debugger, text, self.sb_frame)

    def command_json(self, text: str) -> Any:
        """The answer of a command with ``--json`` for this thread and frame."""
        return commands.run_json(self._session.debugger, text, self.sb_frame)

    def read(self, expression: str, lanes: Optional[Sequence[int]] = None) -> Dict[int, Variable]:
        """A variable or expression by lane: in ``lanes``, or else in the executing lanes.

        Raises :class:`Error` where one of them has no value; ``values`` raises only where none has.
        """
        found = self._read(expression, "" if lanes is None else "--lanes " + ",".join(map(str, lanes)))
        return {entry["lane"]: found.variable(entry["lane"]) for entry in found.data["values"]}

    def values(self, expression: str) -> LaneValues:
        """A variable or expression in all lanes, like a list."""
        return self._read(expression, "--all")

    def array(self, expression: str) -> Any:
        """A variable or expression in all lanes, as a numpy array; needs numpy."""
        return self.values(expression).array()

    def _read(self, expression: str, options: str) -> LaneValues:
        answer = self.command_json(f"thread lane print --json {options} -- {expression}")
        entries = answer["values"]
        if entries and all("error" in entry for entry in entries):
            raise Error(str(entries[0]["error"]))
        return LaneValues(self, answer, self._type(expression, answer["type"]))

    def _type(self, expression: str, name: str) -> Optional[Any]:
        """LLDB's type of an expression that has a value in some lane, perhaps not in the focus lane."""
        frame = self.sb_frame
        value = frame.GetValueForVariablePath(expression)
        kind = value.GetType() if value.IsValid() and value.GetError().Success() else lldb.SBType()
        if not kind.IsValid():
            options = lldb.SBExpressionOptions()
            options.SetSuppressPersistentResult(True)
            kind = frame.EvaluateExpression(expression, options).GetType()
            if not kind.IsValid() and name:
                kind = frame.EvaluateExpression(f"({name} *)0", options).GetType().GetPointeeType()
        if not kind.IsValid():
            return None
        kind = kind.GetCanonicalType()
        return kind.GetDereferencedType() if kind.IsReferenceType() else kind

    def find(self, expression: str) -> List[Lane]:
        """The executing lanes in which ``expression`` holds."""
        answer = self.command_json(f"thread lane find --json -- {expression}")
        lanes = self.lanes
        return [lanes[number] for entry in answer for number in entry["lanes"]]

    def location(self, name: str, lane: Optional[int] = None) -> Location:
        """Where the variable ``name`` is for a lane (by default the focus lane), and why."""
        command = f"dwarf variable --json {commands.quote(name)}"
        return Location(self.command_json(command) if lane is None else Lane(self, lane).command_json(command))

    def memory(self, space: Union[str, int], lane: Optional[int] = None) -> Memory:
        """Memory of an address space, seen from this thread and a lane (by default the focus lane)."""
        return Memory(self._session.debugger, self._thread.GetProcess(), space, self.sb_frame, lane)

    def __iter__(self) -> Iterator[Lane]:
        return iter(self.lanes)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Thread) and self.tid == other.tid and self._frame_index == other._frame_index and
                self._thread.GetProcess().GetUniqueID() == other._thread.GetProcess().GetUniqueID())

    def __hash__(self) -> int:
        return hash((self.tid, self._frame_index))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} #{self.index} {self.name}>"

    def _repr_html_(self) -> str:
        return notebook.lane_grid(self.name, self.lanes)
