# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU of a program: agents, queues, dispatches, workgroups, waves and address spaces."""
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Type, TypeVar, Union, overload

import lldb

from . import commands
from .errors import Error
from .findings import Finding
from .lanes import Lane, Matrix, Owner, Thread, Triple
from .memory import Memory

_Object = TypeVar("_Object", bound="GPUObject")


class GPUObject:
    """An object listed by ``gpu ... list --json``; ``object["key"]`` is its value for a key."""

    _kind = ""

    def __init__(self, gpu: "GPU", data: Dict[str, Any]) -> None:
        self._gpu = gpu
        #: The object as the command printed it.
        self.data = data

    @property
    def gpu(self) -> "GPU":
        """The GPU that it belongs to."""
        return self._gpu

    @property
    def id(self) -> int:
        """Its number, by which other objects refer to it."""
        return int(self.data["id"])

    def _need(self, key: str) -> Any:
        if key not in self.data:
            raise Error(f"{key} of {self._kind} {self.id} isn't known")
        return self.data[key]

    def _number(self, key: str) -> Optional[int]:
        return self.data.get(key)

    def _size(self, key: str) -> Optional[Triple]:
        numbers = self.data.get(key)
        return (numbers[0], numbers[1], numbers[2]) if numbers else None

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __getattr__(self, key: str) -> Any:
        # Facts that have no property of their own below.
        data = self.__dict__.get("data", {})
        if key in data:
            return data[key]
        raise AttributeError(f"a {self._kind or 'GPU object'} has no '{key}'")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, GPUObject) and self.id == other.id and \
            self._gpu == other._gpu

    def __hash__(self) -> int:
        return hash((self._kind, self.id))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}>"


class Agent(GPUObject):
    """A device."""

    _kind = "agent"

    @property
    def name(self) -> str:
        """The product's name."""
        return str(self._need("name"))

    @property
    def architecture(self) -> str:
        """Such as ``gfx90a``."""
        return str(self._need("architecture"))

    @property
    def state(self) -> str:
        """Whether it can be debugged: ``supported`` if so."""
        return str(self._need("state"))

    @property
    def execution_units(self) -> Optional[int]:
        """How many execution units it has."""
        return self._number("execution_units")

    @property
    def waves_per_execution_unit(self) -> Optional[int]:
        """How many waves each execution unit holds."""
        return self._number("waves_per_execution_unit")

    @property
    def queues(self) -> List["Queue"]:
        """Its queues."""
        return [queue for queue in self._gpu.queues if queue.data.get("agent") == self.id]

    @property
    def dispatches(self) -> List["Dispatch"]:
        """Its dispatches."""
        return [dispatch for dispatch in self._gpu.dispatches if dispatch.data.get("agent") == self.id]


class AgentObject(GPUObject):
    """An object of an agent."""

    @property
    def agent(self) -> Optional[Agent]:
        """The agent that it belongs to."""
        return self._gpu.find(Agent, self.data.get("agent"))


class Queue(AgentObject):
    """A queue of an agent."""

    _kind = "queue"

    @property
    def type(self) -> str:
        """Such as ``HSA AQL``."""
        return str(self._need("type"))

    @property
    def address(self) -> Optional[int]:
        """The address of its packets."""
        return self._number("address")

    @property
    def size(self) -> Optional[int]:
        """Size of its packets in bytes."""
        return self._number("size")

    @property
    def read_packet(self) -> Optional[int]:
        """The number of the first packet that isn't finished."""
        return self._number("read_packet")

    @property
    def write_packet(self) -> Optional[int]:
        """The number of the next packet to be written."""
        return self._number("write_packet")

    @property
    def dispatches(self) -> List["Dispatch"]:
        """Its dispatches."""
        return [dispatch for dispatch in self._gpu.dispatches if dispatch.data.get("queue") == self.id]


class Progress(NamedTuple):
    """The progress of a dispatch, in workgroups."""

    workgroups: int
    done: int
    running: int
    waiting: int
    #: Whether the numbers are exact; otherwise ``done`` is a minimum and ``waiting`` a maximum.
    exact: bool


class QueueObject(AgentObject):
    """An object of a queue."""

    @property
    def queue(self) -> Optional[Queue]:
        """The queue that it came from."""
        return self._gpu.find(Queue, self.data.get("queue"))


class Dispatch(QueueObject):
    """A running kernel with its grid."""

    _kind = "dispatch"

    @property
    def kernel(self) -> Optional[str]:
        """The kernel's name."""
        return self.data.get("kernel")

    @property
    def grid_size(self) -> Optional[Triple]:
        """The grid's size in work-items."""
        return self._size("grid_size")

    @property
    def workgroup_size(self) -> Optional[Triple]:
        """A workgroup's size in work-items."""
        return self._size("workgroup_size")

    @property
    def entry(self) -> Optional[int]:
        """The address of the kernel's code."""
        return self._number("entry")

    @property
    def kernarg(self) -> Optional[int]:
        """The address of the kernel's arguments."""
        return self._number("kernarg")

    @property
    def progress(self) -> Optional[Progress]:
        """Its progress; None if unknown."""
        counts = self.data.get("progress")
        return Progress(**{field: counts.get(field, 0) for field in Progress._fields}) if counts else None

    @property
    def workgroups(self) -> List["Workgroup"]:
        """Its workgroups that are on the GPU."""
        return [group for group in self._gpu.workgroups if group.data.get("dispatch") == self.id]

    @property
    def waves(self) -> Iterator["Wave"]:
        """Its waves that are on the GPU, created as you iterate."""
        return (wave for wave in self._gpu.waves if wave.fact("dispatch") == self.id)


class Workgroup(QueueObject):
    """A workgroup of a dispatch, with waves on the GPU."""

    _kind = "workgroup"

    @property
    def dispatch(self) -> Optional[Dispatch]:
        """The dispatch that it belongs to."""
        return self._gpu.find(Dispatch, self.data.get("dispatch"))

    @property
    def position(self) -> Optional[Triple]:
        """Its position in the grid, in workgroups (the key ``workgroup``)."""
        return self._size("workgroup")

    @property
    def wave_count(self) -> Optional[int]:
        """How many waves it has (the key ``waves``)."""
        return self._number("waves")

    @property
    def at_barrier(self) -> List[int]:
        """The numbers of its waves that wait at a barrier."""
        return list(self.data.get("at_barrier", ()))

    @property
    def not_arrived(self) -> List[int]:
        """The numbers of its waves that the others wait for."""
        return list(self.data.get("not_arrived", ()))

    @property
    def waves(self) -> Iterator["Wave"]:
        """Its waves, created as you iterate."""
        return (wave for wave in self._gpu.waves if wave.fact("workgroup_id") == self.id)

    def __repr__(self) -> str:
        return f"<Workgroup {self.id} {self.position}>"


class AddressSpace:
    """An address space of the GPU (``gpu address-space list --json``)."""

    def __init__(self, gpu: "GPU", data: Dict[str, Any]) -> None:
        self._gpu = gpu
        self.data = data

    @property
    def number(self) -> int:
        """Its DWARF number."""
        return int(self.data["number"])

    @property
    def name(self) -> str:
        """Such as ``private_lane``."""
        return str(self.data["name"])

    @property
    def depends_on(self) -> str:
        """What has its own memory in it: each ``lane``, ``wave``, ``workgroup``, ``agent`` or ``process``."""
        return str(self.data["depends_on"])

    @property
    def address_bits(self) -> Optional[int]:
        """How many bits an address in it has."""
        return self.data.get("address_bits")

    @property
    def null(self) -> Optional[int]:
        """The value of a null pointer: 0xffffffff if 0 is a valid address."""
        return self.data.get("null")

    def memory(self, where: Union["Wave", Lane]) -> Memory:
        """Its memory, seen from a wave or a lane."""
        return where.memory(self.name)

    def __repr__(self) -> str:
        return f"<AddressSpace {self.number} {self.name}, one for each {self.depends_on}>"


class Wave(Thread):
    """A wave, which is a thread of the GPU's process. Unknown facts are None."""

    def fact(self, key: str) -> Any:
        """Its value for a key of ``gpu wave list --json``, or None; for its line, see Lane.line. The server is asked once for each stop."""
        for suffix in ("", ".x"):
            stream = lldb.SBStream()
            if self._thread.GetInfoItemByPathAsString(key + suffix, stream):
                text = stream.GetData() or ""
                if suffix:
                    return (self._as_number(text), self.fact(key + ".y"), self.fact(key + ".z"))
                return self._as_number(text) if text.startswith("0x") else text
        if not self._thread.IsValid():
            raise Error("the wave is gone")
        return None

    @staticmethod
    def _as_number(text: str) -> int:
        return int(text, 16)

    def _int(self, key: str) -> Optional[int]:
        number: Optional[int] = self.fact(key)
        return number

    def _text(self, key: str) -> Optional[str]:
        text: Optional[str] = self.fact(key)
        return text

    def _triple(self, key: str) -> Optional[Triple]:
        triple: Optional[Triple] = self.fact(key)
        return triple

    @property
    def gpu(self) -> "GPU":
        """The GPU that it belongs to."""
        return GPU(self._session, self._thread.GetProcess().GetTarget())

    @property
    def id(self) -> Optional[int]:
        """Its number in the debugger library."""
        return self._int("id")

    @property
    def name(self) -> str:
        """Such as ``saxpy (1,0,0)/2``."""
        return str(self.fact("name") or super().name)

    @property
    def kernel(self) -> Optional[str]:
        """The kernel's name."""
        return self._text("kernel")

    @property
    def state(self) -> Optional[str]:
        """``stopped`` or ``running``."""
        return self._text("state")

    @property
    def pc(self) -> Optional[int]:
        """Its program counter."""
        return self._int("pc")

    @property
    def exec(self) -> Optional[int]:
        """The mask of the lanes that execute."""
        return self._int("exec")

    @property
    def lane_count(self) -> int:
        """32 or 64."""
        return int(self.fact("lane_count") or super().lane_count)

    @property
    def stop_lanes(self) -> Optional[List[int]]:
        """The lanes that caused its stop: a condition, a finding, a watchpoint or a fault."""
        mask = self.fact("stop_lanes")
        return [lane for lane in range(64) if mask >> lane & 1] if mask else None

    @property
    def finding(self) -> Optional[Finding]:
        """The finding of a check that it has stopped for."""
        number = (self.stop or {}).get("finding")
        return next((finding for finding in self.gpu.findings if finding.id == number), None)

    @property
    def agent(self) -> Optional[Agent]:
        """The agent that runs it."""
        return self.gpu.find(Agent, self.fact("agent"))

    @property
    def queue(self) -> Optional[Queue]:
        """The queue of its dispatch."""
        return self.gpu.find(Queue, self.fact("queue"))

    @property
    def dispatch(self) -> Optional[Dispatch]:
        """The dispatch that it belongs to."""
        return self.gpu.find(Dispatch, self.fact("dispatch"))

    @property
    def workgroup(self) -> Optional[Workgroup]:
        """Its workgroup."""
        return self.gpu.find(Workgroup, self.fact("workgroup_id"))

    @property
    def workgroup_position(self) -> Optional[Triple]:
        """Its workgroup's position in the grid, in workgroups."""
        return self._triple("workgroup")

    @property
    def wave_in_workgroup(self) -> Optional[int]:
        """Its number in its workgroup."""
        return self._int("wave_in_workgroup")

    @property
    def workgroup_size(self) -> Optional[Triple]:
        """Its workgroup's size in work-items."""
        return self._triple("workgroup_size")

    @property
    def grid_size(self) -> Optional[Triple]:
        """Its grid's size in work-items."""
        return self._triple("grid_size")

    def back(self, by: str = "line") -> Optional[Thread]:
        """Goes back: by a "line", "into" functions, "out" of this one, an "instruction", or "stop": to the stop before.

        Returns what has stopped then, as :meth:`Session.resume` does.
        """
        texts = {"line": "reverse-next", "into": "reverse-step", "out": "reverse-finish", "instruction": "reverse-stepi",
                 "stop": "reverse-continue"}
        if by not in texts:
            raise Error(f"waves don't go back by '{by}': line, into, out, instruction or stop")
        return self._session.travel(self._thread, texts[by])

    def matrix(self, which: str) -> Matrix:
        """Operand ``a``, ``b``, ``c`` or ``d`` of the matrix instruction at its PC, or just executed."""
        return Matrix(self.command_json(f"gpu matrix {which} --json"))


class Waves(Sequence[Wave]):
    """The waves on the GPU, created on access: looking at ten of a million costs ten."""

    def __init__(self, gpu: "GPU") -> None:
        self._gpu = gpu

    def __len__(self) -> int:
        return int(self._gpu.process.GetNumThreads())

    @overload
    def __getitem__(self, index: int) -> Wave: ...

    @overload
    def __getitem__(self, index: slice) -> List[Wave]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Wave, List[Wave]]:
        count = len(self)
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(count))]
        at = index + count if index < 0 else index
        if not 0 <= at < count:
            raise IndexError(f"there are {count} waves")
        return Wave(self._gpu.session, self._gpu.process.GetThreadAtIndex(at))

    def __iter__(self) -> Iterator[Wave]:
        for index in range(len(self)):
            yield self[index]

    def stopped_for_a_reason(self) -> Iterator[Wave]:
        """The waves that stopped for a reason of their own, not because another one did."""
        return (wave for wave in self if wave.sb_thread.GetStopReason() != lldb.eStopReasonNone)

    def __repr__(self) -> str:
        return f"<{len(self)} waves>"


class GPU:
    """The GPU side of a program, which is a target of its own in LLDB."""

    def __init__(self, session: Owner, target: Any) -> None:
        self._session = session
        self._target = target

    @property
    def session(self) -> Owner:
        """The :class:`Session` that it belongs to."""
        return self._session

    @property
    def target(self) -> Any:
        """LLDB's SBTarget; its modules are the code objects."""
        return self._target

    @property
    def process(self) -> Any:
        """LLDB's SBProcess, whose threads are the waves."""
        return self._target.GetProcess()

    @property
    def agents(self) -> List[Agent]:
        """The devices."""
        return self._list(Agent)

    @property
    def queues(self) -> List[Queue]:
        """The queues of all agents."""
        return self._list(Queue)

    @property
    def dispatches(self) -> List[Dispatch]:
        """The running kernels."""
        return self._list(Dispatch)

    @property
    def workgroups(self) -> List[Workgroup]:
        """The workgroups that have waves on the GPU."""
        return self._list(Workgroup)

    @property
    def waves(self) -> Waves:
        """The waves that are on the GPU."""
        return Waves(self)

    @property
    def wave_records(self) -> List[Dict[str, Any]]:
        """The answer of ``gpu wave list --json``: all waves at once."""
        return list(self.command_json("gpu wave list --json"))

    @property
    def address_spaces(self) -> List[AddressSpace]:
        """Its address spaces."""
        return [AddressSpace(self, data) for data in self.command_json("gpu address-space list --json")]

    @property
    def memory(self) -> Memory:
        """Global memory. For waves and lanes there are ``wave.memory(space)`` and ``lane.memory(space)``."""
        return Memory(self._session.debugger, self.process, "global")

    @property
    def selected_wave(self) -> Wave:
        """The selected wave; after a stop, the one that stopped."""
        thread = self.process.GetSelectedThread()
        if not thread.IsValid():
            raise Error("there is no wave")
        return Wave(self._session, thread)

    @property
    def findings(self) -> List[Finding]:
        """What the checks of kernels have found so far; of a core file, what they had found."""
        return [Finding(self, data) for data in self.command_json("gpu check list --json")]

    def line_counts(self, file: str = "", function: str = "") -> List[Dict[str, Any]]:
        """What each source line has cost so far (``gpu count --json``), for names that contain these texts."""
        text = "gpu count --json"
        for option, part in (("file", file), ("function", function)):
            if part:
                text += f" --{option} {commands.quote(part)}"
        return list(self.command_json(text))

    def wave_of_thread(self, number: int) -> Wave:
        """The wave that is LLDB's thread with this id."""
        return Wave(self._session, self.process.GetThreadByID(number))

    def wave(self, workgroup: Sequence[int] = (0, 0, 0), number: int = 0, kernel: Optional[str] = None) -> Wave:
        """A wave by its workgroup's position in the grid and its number there; name the kernel if several run."""
        for record in self.wave_records:
            if (list(record.get("workgroup", ())) == list(workgroup) and record.get("wave_in_workgroup") == number and
                    kernel in (None, record.get("kernel"))):
                return Wave(self._session, self.process.GetThreadByID(record["thread"]))
        raise Error(f"there is no wave {tuple(workgroup)}/{number}{f' of {kernel}' if kernel else ''}")

    def find_lanes(self, expression: str) -> List[Lane]:
        """The lanes in which ``expression`` holds, of all waves in the selected wave's function."""
        found: List[Lane] = []
        for entry in self.selected_wave.command_json(f"thread lane find --all-waves --json -- {expression}"):
            lanes = Wave(self._session, self.process.GetThreadByID(entry["tid"])).lanes
            found.extend(lanes[number] for number in entry["lanes"])
        return found

    def find(self, kind: Type[_Object], number: Optional[int]) -> Optional[_Object]:
        """The object of a kind with a number, or None if it doesn't exist (any more)."""
        if number is None:
            return None
        return next((item for item in self._list(kind) if item.id == number), None)

    def command_json(self, text: str) -> Any:
        """The answer of a command with ``--json`` for this GPU, whichever target is selected."""
        if not self.process.IsValid():
            raise Error("the program's GPU is gone")
        return commands.run_json(self._session.debugger, text, context=lldb.SBExecutionContext(self.process))

    def _list(self, kind: Type[_Object]) -> List[_Object]:
        return [kind(self, data) for data in self.command_json(f"gpu {kind._kind} list --json")]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GPU) and bool(self._target == other._target)

    def __hash__(self) -> int:
        return hash(self.process.GetUniqueID())

    def __repr__(self) -> str:
        return f"<GPU of process {self.process.GetProcessID()}>"
