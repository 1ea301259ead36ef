# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ranks of a job: the processes that mpirun or the like starts."""
import shlex
from typing import Any, Dict, Iterator, List, Optional, Sequence

from . import commands
from .errors import Error
from .gpu import GPU
from .lanes import Owner, Thread


class Rank:
    """A rank as ``rank list --json`` prints it; ``rank["key"]`` is its value for a key."""

    def __init__(self, session: Owner, data: Dict[str, Any]) -> None:
        self._session = session
        #: The rank as the command printed it.
        self.data = data

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    @property
    def number(self) -> int:
        """Its number, from 0."""
        return int(self.data["rank"])

    @property
    def state(self) -> str:
        """"connecting", "stopped", "running" or "ended"."""
        return str(self.data["state"])

    @property
    def reason(self) -> Optional[str]:
        """Why it has stopped; None if it was stopped with another one."""
        return self.data.get("reason")

    @property
    def target(self) -> Any:
        """The SBTarget of its host side."""
        if "target" not in self.data:
            raise Error(f"rank {self.number} has no target")
        return self._session.debugger.GetTargetAtIndex(self.data["target"])

    @property
    def gpu(self) -> GPU:
        """Its GPU; raises :class:`Error` while it uses none."""
        if "gpu_target" not in self.data:
            raise Error(f"rank {self.number} doesn't use a GPU now")
        return GPU(self._session, self._session.debugger.GetTargetAtIndex(self.data["gpu_target"]))

    @property
    def threads(self) -> Iterator[Thread]:
        """The threads of its host side, created as you iterate."""
        process = self.target.GetProcess()
        return (self._session.thread(process.GetThreadAtIndex(index)) for index in range(process.GetNumThreads()))

    def __repr__(self) -> str:
        return f"<Rank {self.number}, {self.state}>"


class Job:
    """The job of a session's debugger; see :attr:`Session.job`."""

    def __init__(self, session: Owner) -> None:
        self._session = session

    @property
    def ranks(self) -> List[Rank]:
        """Its ranks, as they are now, in the order of their numbers."""
        found = commands.run_json(self._session.debugger, "rank list --json")
        return [Rank(self._session, data) for data in found]

    def launch(self, command: Sequence[str], stop_at_entry: bool = False) -> List[Rank]:
        """Starts a launcher, as ``["mpirun", "-n", "4", "./app"]``, and waits until its ranks stop or end."""
        options = "--stop-at-entry " if stop_at_entry else ""
        self._session.command(f"job launch {options}-- {shlex.join(command)}")
        return self.ranks

    def resume(self) -> List[Rank]:
        """Resumes all ranks, until one stops, which stops all, or all have ended."""
        self._session.command("job continue")
        return self.ranks

    def values(self, expression: str) -> List[Any]:
        """The expression in each rank's selected frame: a number, a text, or None where there is no value."""
        found = commands.run_json(self._session.debugger, f"rank print --json -- {expression}")
        return [value.get("number", value.get("value")) for value in found]

    def kill(self) -> None:
        """Ends all ranks and the launcher."""
        self._session.command("job kill")
