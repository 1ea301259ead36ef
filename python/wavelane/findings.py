# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of kernels have found (``gpu check``)."""
from typing import Any, Dict, List, NamedTuple, Optional, Protocol

from . import commands
from .errors import Error
from .lanes import Owner, Thread, Triple


class Checked(Protocol):
    """A :class:`GPU`, as what was found on it sees it."""

    @property
    def session(self) -> Owner: ...

    @property
    def queues(self) -> Any: ...

    @property
    def dispatches(self) -> Any: ...

    @property
    def wave_records(self) -> List[Dict[str, Any]]: ...

    def wave_of_thread(self, number: int) -> Thread: ...


class FindingFrame(NamedTuple):
    """A function on a stack. What isn't known is None."""

    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    #: The text of the line.
    source: Optional[str]
    inlined: bool
    address: int


def _frames(data: List[Dict[str, Any]]) -> List[FindingFrame]:
    return [FindingFrame(frame.get("function"), frame.get("file"), frame.get("line"), frame.get("column"),
                         frame.get("source"), bool(frame.get("inlined")), int(frame.get("address", "0"), 16))
            for frame in data]


class FindingSide:
    """A wave that takes part in a finding, as it was then."""

    def __init__(self, gpu: Checked, data: Dict[str, Any]) -> None:
        self._gpu = gpu
        #: The side as the command printed it.
        self.data = data

    @property
    def message(self) -> Optional[str]:
        """Of the other side, what it did; None for the first."""
        return self.data.get("text")

    @property
    def access(self) -> Optional[str]:
        """``read``, ``write`` or ``atomic``; None if it isn't an access."""
        return self.data.get("access")

    @property
    def kernel(self) -> Optional[str]:
        """The kernel's name."""
        return self.data.get("kernel")

    @property
    def launch(self) -> Optional[int]:
        """The kernel's launch, 1 for the program's first."""
        return self.data.get("launch")

    @property
    def workgroup(self) -> Optional[Triple]:
        """The workgroup's position in the grid, in workgroups."""
        numbers = self.data.get("workgroup")
        return (numbers[0], numbers[1], numbers[2]) if numbers else None

    @property
    def wave_in_workgroup(self) -> Optional[int]:
        """The wave's number in its workgroup."""
        return self.data.get("wave")

    @property
    def lanes(self) -> List[int]:
        """The lanes that did it."""
        return list(self.data.get("lanes", ()))

    @property
    def work_items(self) -> List[Triple]:
        """The work-items of these lanes, in the workgroup."""
        return [(item[0], item[1], item[2]) for item in self.data.get("workItems", ())]

    @property
    def pc(self) -> int:
        """The address of the instruction."""
        return int(self.data["pc"], 16)

    @property
    def frames(self) -> List[FindingFrame]:
        """The functions, innermost first."""
        return _frames(self.data.get("frames", []))

    @property
    def launch_stack(self) -> List[FindingFrame]:
        """The host's functions that led to the kernel's launch, innermost first; empty if they aren't known."""
        return _frames(self.data.get("launchStack", []))

    @property
    def frame(self) -> Optional[FindingFrame]:
        """The innermost function that has a line, or else the innermost."""
        frames = self.frames
        return next((frame for frame in frames if frame.line), frames[0] if frames else None)

    @property
    def wave(self) -> Optional[Thread]:
        """The :class:`Wave`, if it is still on the GPU; it may have gone on since."""
        queues = {queue.id for queue in self._gpu.queues if queue.data.get("os_id") == self.data.get("queue")}
        dispatches = {dispatch.id for dispatch in self._gpu.dispatches
                      if dispatch.data.get("packet") == self.data.get("packet") and
                      dispatch.data.get("queue") in queues}
        for record in self._gpu.wave_records:
            if (record.get("workgroup") == self.data.get("workgroup") and record.get("dispatch") in dispatches and
                    record.get("wave_in_workgroup") == self.data.get("wave")):
                return self._gpu.wave_of_thread(record["thread"])
        return None

    def __repr__(self) -> str:
        return f"<FindingSide {self.workgroup}/{self.wave_in_workgroup} lanes {self.lanes}>"


class Finding:
    """What a check has found (``gpu check list --json``). Like findings are one."""

    def __init__(self, gpu: Checked, data: Dict[str, Any]) -> None:
        self._gpu = gpu
        #: The finding as the command printed it.
        self.data = data

    @property
    def gpu(self) -> Checked:
        """The :class:`GPU` that it belongs to."""
        return self._gpu

    @property
    def id(self) -> int:
        """Its number, 1 for the first."""
        return int(self.data["id"])

    @property
    def check(self) -> str:
        """``memory``, ``race``, ``init``, ``sync``, ``wait`` or ``float``."""
        return str(self.data["check"])

    @property
    def kind(self) -> str:
        """Such as ``invalid-global-access``."""
        return str(self.data["kind"])

    @property
    def message(self) -> str:
        """What happened: ``Invalid global write of size 4 bytes``."""
        return str(self.data["text"])

    @property
    def report(self) -> str:
        """The whole report, several lines."""
        return str(self.data.get("report", ""))

    @property
    def suppression(self) -> str:
        """The line that suppresses findings like it."""
        return str(self.data.get("suppression", ""))

    @property
    def notes(self) -> List[str]:
        """More sentences: values, distances, who waits for whom."""
        return list(self.data.get("notes", ()))

    @property
    def variable(self) -> Optional[str]:
        """The variable accessed, with its element: ``out[64]``."""
        return self.data.get("variable")

    @property
    def address(self) -> Optional[int]:
        """The first byte accessed by the first lane; an offset in local and private memory."""
        text = self.data.get("address")
        return int(text, 16) if text else None

    @property
    def address_space(self) -> Optional[str]:
        """``global``, ``local`` or ``private``."""
        return self.data.get("addressSpace")

    @property
    def size(self) -> Optional[int]:
        """The size of a lane's access in bytes."""
        return self.data.get("size")

    @property
    def here(self) -> Optional[FindingSide]:
        """The wave that did it; None for a call of the host."""
        return FindingSide(self._gpu, self.data["here"]) if "here" in self.data else None

    @property
    def other(self) -> Optional[FindingSide]:
        """The other access, if the finding has two."""
        return FindingSide(self._gpu, self.data["other"]) if "other" in self.data else None

    @property
    def host_stack(self) -> List[FindingFrame]:
        """The host's functions that led to it, innermost first, if it is of a call or an access of the host."""
        return _frames(self.data.get("hostStack", []))

    @property
    def copy_stack(self) -> List[FindingFrame]:
        """The same of the copy or fill that is the other side, if it is one."""
        return _frames(self.data.get("copyStack", []))

    @property
    def _frame(self) -> Optional[FindingFrame]:
        if self.here:
            return self.here.frame
        return next((frame for frame in self.host_stack if frame.line), None)

    @property
    def function(self) -> Optional[str]:
        """The innermost function with a line."""
        return self._frame.function if self._frame else None

    @property
    def file(self) -> Optional[str]:
        """The path of the source file."""
        return self._frame.file if self._frame else None

    @property
    def line(self) -> Optional[int]:
        """The source line, from 1."""
        return self._frame.line if self._frame else None

    @property
    def lanes(self) -> List[int]:
        """The lanes that did it."""
        return self.here.lanes if self.here else []

    @property
    def wave(self) -> Optional[Thread]:
        """The :class:`Wave` that did it, if it is still on the GPU."""
        return self.here.wave if self.here else None

    def ignore(self) -> None:
        """No longer stop at findings of this kind at this line."""
        commands.run(self._gpu.session.debugger, f"gpu check ignore {self.id}")

    def select(self, other: bool = False) -> Thread:
        """Select its wave with its first lane, or those of its other side."""
        side = self.other if other else self.here
        wave = side.wave if side else None
        if wave is None:
            raise Error("the finding has no such side" if side is None else "the wave has ended")
        commands.run(self._gpu.session.debugger, f"gpu check select {'--other ' if other else ''}{self.id}")
        return wave

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.id == other.id and self._gpu == other._gpu

    def __hash__(self) -> int:
        return hash(("finding", self.id))

    def __repr__(self) -> str:
        return f"<Finding {self.id} {self.kind}: {self.message}>"
