# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waves and lanes of the programs that LLDB debugs, as Python objects.

In LLDB's own Python, ``import wavelane`` works as it is. For a plain ``python3``, ``pip install`` the wheel: it finds
an installed Wavelane. With one that was only built, put the folder that ``build/bin/lldb -P`` prints into ``PYTHONPATH``::

    import wavelane

    with wavelane.Session("./saxpy") as session:
        session.breakpoint(file="saxpy.hip", line=13)
        wave = session.run()
        print(wave.name, wave.lanes[17].variable("i").value)
        print(wave.values("i * 2"))              # in all lanes; wave.array(...) for numpy
        for other in session.gpu.waves:          # created as you iterate
            print(other.kernel, other.workgroup.position, other.stop_reason)

In LLDB's interactive ``script``, ``wavelane.session()`` is the current session, and
``wavelane.selected()`` the selected wave or CPU thread; their lanes work the same way.

An object holds the state at the time it was created: after the program has run, get a new
one. Failures raise :class:`Error`, with the text that LLDB's command would show. In a notebook, a wave and
``wave.values(...)`` are shown as tables of lanes.
"""
from .locate import load_lldb

load_lldb()  # The modules below import it.

from .breakpoints import Breakpoint
from .errors import CallbackError, Error
from .findings import Finding, FindingFrame, FindingSide
from .gpu import GPU, AddressSpace, Agent, Dispatch, Progress, Queue, Wave, Waves, Workgroup
from .jobs import Job, Rank
from .lanes import Frame, Lane, Lanes, LaneValues, Matrix, Origin, OriginStep, Thread, Variable
from .location import Location, Place, Step
from .memory import Memory
from .session import Session, selected, session

__all__ = [
    "AddressSpace", "Agent", "Breakpoint", "CallbackError", "Dispatch", "Error", "Finding", "FindingFrame",
    "FindingSide", "Frame", "GPU", "Job", "Lane", "LaneValues", "Lanes", "Location", "Matrix", "Memory", "Origin", "OriginStep",
    "Place", "Progress", "Queue", "Rank", "Session", "Step", "Thread", "Variable", "Wave", "Waves", "Workgroup", "selected", "session",
]
