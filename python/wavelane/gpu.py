# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU of a program: agents, queues, dispatches, workgroups, waves and address spaces."""
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Type, TypeVar, Union,
                    overload)

import lldb

from . import commands
from .errors import Error
from .lanes import Lane, Matrix, Thread, Triple
from .memory import Memory

if TYPE_CHECKING:
    from .session import Session

_Object = TypeVar("_Object", bound="GPUObject")


class GPUObject:
    """One of the objects that ``gpu ... list --json`` tells of; ``object["key"]`` is what stands there under a key."""

    _kind = ""

    def __init__(self, gpu: "GPU", data: Dict[str, Any]) -> None:
        self._gpu = gpu
        #: What the command has told.
        self.data = data

    @property
    def gpu(self) -> "GPU":
        """The GPU that it is part of."""
        return self._gpu

    @property
    def id(self) -> int:
        """Its number, by which others refer to it."""
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
        # What the server tells and no property below has a better word for.
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
        """As people call it."""
        return str(self._need("name"))

    @property
    def architecture(self) -> str:
        """As ``gfx90a``."""
        return str(self._need("architecture"))

    @property
    def state(self) -> str:
        """Whether it can be debugged: ``supported`` if so."""
        return str(self._need("state"))

    @property
    def execution_units(self) -> Optional[int]:
        """How many it has."""
        return self._number("execution_units")

    @property
    def waves_per_execution_unit(self) -> Optional[int]:
        """How many waves one of them holds."""
        return self._number("waves_per_execution_unit")

    @property
    def queues(self) -> List["Queue"]:
        """Its queues."""
        return [queue for queue in self._gpu.queues if queue.data.get("agent") == self.id]

    @property
    def dispatches(self) -> List["Dispatch"]:
        """Its dispatches."""
        return [dispatch for dispatch in self._gpu.dispatches if dispatch.data.get("agent") == self.id]


class Queue(GPUObject):
    """A queue of an agent."""

    _kind = "queue"

    @property
    def agent(self) -> Optional[Agent]:
        """Whose it is."""
        return self._gpu.find(Agent, self.data.get("agent"))

    @property
    def type(self) -> str:
        """As ``HSA AQL``."""
        return str(self._need("type"))

    @property
    def address(self) -> Optional[int]:
        """Where its packets are."""
        return self._number("address")

    @property
    def size(self) -> Optional[int]:
        """Bytes that its packets take."""
        return self._number("size")

    @property
    def read_packet(self) -> Optional[int]:
        """The number of the first packet that isn't done."""
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
    """How far a dispatch is, in workgroups."""

    workgroups: int
    done: int
    running: int
    waiting: int
    #: Whether the numbers are exact, or as far as they can be told.
    exact: bool


class Dispatch(GPUObject):
    """A kernel that runs, with its grid."""

    _kind = "dispatch"

    @property
    def agent(self) -> Optional[Agent]:
        """Where it runs."""
        return self._gpu.find(Agent, self.data.get("agent"))

    @property
    def queue(self) -> Optional[Queue]:
        """Where it was put."""
        return self._gpu.find(Queue, self.data.get("queue"))

    @property
    def kernel(self) -> Optional[str]:
        """The kernel's name."""
        return self.data.get("kernel")

    @property
    def grid_size(self) -> Optional[Triple]:
        """Work-items."""
        return self._size("grid_size")

    @property
    def workgroup_size(self) -> Optional[Triple]:
        """Work-items of a workgroup."""
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
        """How far it is; None where that isn't known."""
        told = self.data.get("progress")
        return Progress(**{field: told.get(field, 0) for field in Progress._fields}) if told else None

    @property
    def workgroups(self) -> List["Workgroup"]:
        """Those that are on the GPU."""
        return [group for group in self._gpu.workgroups if group.data.get("dispatch") == self.id]

    @property
    def waves(self) -> Iterator["Wave"]:
        """Those that are on the GPU, made while one looks at them."""
        return (wave for wave in self._gpu.waves if wave.fact("dispatch") == self.id)


class Workgroup(GPUObject):
    """A workgroup of a dispatch, with waves on the GPU."""

    _kind = "workgroup"

    @property
    def agent(self) -> Optional[Agent]:
        """Where it runs."""
        return self._gpu.find(Agent, self.data.get("agent"))

    @property
    def queue(self) -> Optional[Queue]:
        """Where its dispatch was put."""
        return self._gpu.find(Queue, self.data.get("queue"))

    @property
    def dispatch(self) -> Optional[Dispatch]:
        """What it is a part of."""
        return self._gpu.find(Dispatch, self.data.get("dispatch"))

    @property
    def position(self) -> Optional[Triple]:
        """Its place in the grid, in workgroups (the key ``workgroup``)."""
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
        """Its waves, made while one looks at them."""
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
        """Its number in debug information."""
        return int(self.data["number"])

    @property
    def name(self) -> str:
        """As ``private_lane``."""
        return str(self.data["name"])

    @property
    def depends_on(self) -> str:
        """Whose memory it is: ``lane``, ``wave``, ``workgroup``, ``agent`` or ``process``."""
        return str(self.data["depends_on"])

    @property
    def address_bits(self) -> Optional[int]:
        """How many bits an address in it has."""
        return self.data.get("address_bits")

    @property
    def null(self) -> Optional[int]:
        """The address that a null pointer has: 0xffffffff where 0 is a place."""
        return self.data.get("null")

    def memory(self, where: Union["Wave", Lane]) -> Memory:
        """Its memory, as a wave or a lane sees it."""
        return where.memory(self.name)

    def __repr__(self) -> str:
        return f"<AddressSpace {self.number} {self.name}, one for each {self.depends_on}>"


class Wave(Thread):
    """A wave. It is a thread of the GPU's process; what isn't known of it is None."""

    def fact(self, key: str) -> Any:
        """What the server says of it under a key of ``gpu wave list --json``; None if nothing. Asked once a stop."""
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
        """The GPU that it is part of."""
        return GPU(self._session, self._thread.GetProcess().GetTarget())

    @property
    def id(self) -> Optional[int]:
        """The library's number of it."""
        return self._int("id")

    @property
    def name(self) -> str:
        """As ``saxpy (1,0,0)/2``."""
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
        """The address that it stands at."""
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
        """The lanes that its stop is about: for which a condition holds, or that hit a watchpoint or a fault."""
        mask = self.fact("stop_lanes")
        return [lane for lane in range(64) if mask >> lane & 1] if mask else None

    @property
    def agent(self) -> Optional[Agent]:
        """Where it runs."""
        return self.gpu.find(Agent, self.fact("agent"))

    @property
    def queue(self) -> Optional[Queue]:
        """Where its dispatch was put."""
        return self.gpu.find(Queue, self.fact("queue"))

    @property
    def dispatch(self) -> Optional[Dispatch]:
        """What it is a part of."""
        return self.gpu.find(Dispatch, self.fact("dispatch"))

    @property
    def workgroup(self) -> Optional[Workgroup]:
        """Its workgroup."""
        return self.gpu.find(Workgroup, self.fact("workgroup_id"))

    @property
    def workgroup_position(self) -> Optional[Triple]:
        """Its workgroup's place in the grid, in workgroups."""
        return self._triple("workgroup")

    @property
    def wave_in_workgroup(self) -> Optional[int]:
        """Its number in its workgroup."""
        return self._int("wave_in_workgroup")

    @property
    def workgroup_size(self) -> Optional[Triple]:
        """Work-items of its workgroup."""
        return self._triple("workgroup_size")

    @property
    def grid_size(self) -> Optional[Triple]:
        """Work-items of its grid."""
        return self._triple("grid_size")

    def matrix(self, which: str) -> Matrix:
        """``a``, ``b``, ``c`` or ``d`` of the matrix instruction that it stands at or has just done."""
        return Matrix(self.command_json(f"gpu matrix {which} --json"))


class Waves(Sequence[Wave]):
    """The waves that are on the GPU, made while one looks at them: a look at ten of a million costs ten."""

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
        """Those that have stopped themselves, not because another one has."""
        return (wave for wave in self if wave.sb_thread.GetStopReason() != lldb.eStopReasonNone)

    def __repr__(self) -> str:
        return f"<{len(self)} waves>"


class GPU:
    """The GPU side of a program, which is a target of its own in LLDB."""

    def __init__(self, session: "Session", target: Any) -> None:
        self._session = session
        self._target = target

    @property
    def session(self) -> "Session":
        """The session that it belongs to."""
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
        """The kernels that run."""
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
        """What ``gpu wave list --json`` tells: all waves in one answer."""
        return list(self.command_json("gpu wave list --json"))

    @property
    def address_spaces(self) -> List[AddressSpace]:
        """Its address spaces."""
        return [AddressSpace(self, data) for data in self.command_json("gpu address-space list --json")]

    @property
    def memory(self) -> Memory:
        """Global memory; that of waves and lanes is ``wave.memory(space)`` and ``lane.memory(space)``."""
        return Memory(self._session.debugger, self.process, "global")

    @property
    def selected_wave(self) -> Wave:
        """The selected wave; after a stop, the one that has stopped."""
        thread = self.process.GetSelectedThread()
        if not thread.IsValid():
            raise Error("there is no wave")
        return Wave(self._session, thread)

    def wave(self, workgroup: Sequence[int] = (0, 0, 0), number: int = 0, kernel: Optional[str] = None) -> Wave:
        """A wave by its workgroup's place in the grid and its number there; of a kernel, where several run."""
        for record in self.wave_records:
            if (list(record.get("workgroup", ())) == list(workgroup) and record.get("wave_in_workgroup") == number and
                    kernel in (None, record.get("kernel"))):
                return Wave(self._session, self.process.GetThreadByID(record["thread"]))
        raise Error(f"there is no wave {tuple(workgroup)}/{number}{f' of {kernel}' if kernel else ''}")

    def find_lanes(self, expression: str) -> List[Lane]:
        """The lanes for which ``expression`` holds, in all waves that are in the selected wave's function."""
        found: List[Lane] = []
        for entry in self.selected_wave.command_json(f"thread lane find --all-waves --json -- {expression}"):
            lanes = Wave(self._session, self.process.GetThreadByID(entry["tid"])).lanes
            found.extend(lanes[number] for number in entry["lanes"])
        return found

    def find(self, kind: Type[_Object], number: Optional[int]) -> Optional[_Object]:
        """The object of a kind that has a number; None where there is none (any more)."""
        if number is None:
            return None
        return next((item for item in self._list(kind) if item.id == number), None)

    def command_json(self, text: str) -> Any:
        """What a command with ``--json`` tells of this GPU, whichever target is selected."""
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
