# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory by address space."""
from typing import Any, Optional, Union

import lldb

from . import commands
from .errors import Error

#: Bytes that one command reads.
_CHUNK = 1 << 16
#: Bytes that one command writes; LLDB parses the line word by word.
_WRITE_CHUNK = 1 << 10


class Memory:
    """Memory of an address space, as a wave and a lane see it: ``memory.read(0x40, 16)``, ``memory[0x40:0x50]``.

    Addresses are byte addresses in that space. A CPU has the space ``global`` only.
    """

    def __init__(self, debugger: Any, process: Any, space: Union[str, int], frame: Optional[Any] = None,
                 lane: Optional[int] = None) -> None:
        self._debugger = debugger
        self._process = process
        self._frame = frame
        self.space = space
        self.lane = lane

    def _command(self, verb: str, rest: str, *options: str) -> str:
        words = [f"gpu memory {verb}", "--space", commands.quote(str(self.space)), "--size 1"]
        if self.lane is not None:
            words.append(f"--lane {self.lane}")
        return " ".join([*words, *options, "--", rest])

    def read(self, address: int, size: int) -> bytes:
        """Reads ``size`` bytes at ``address``. Raises :class:`Error` if they can't all be read."""
        if size < 0 or address < 0:
            raise Error("neither address nor size may be negative")
        if size == 0:
            return b""
        if self.space in ("global", 0):
            error = lldb.SBError()
            found = self._process.ReadMemory(address, size, error)
            if error.Fail() or found is None or len(found) != size:
                raise Error(f"global memory at {address:#x} can't be read: {error.GetCString() or 'it ends before'}")
            return bytes(found)
        data = b""
        while len(data) < size:
            count = min(size - len(data), _CHUNK)
            command = self._command("read", hex(address + len(data)), "--json", f"--count {count}")
            part = bytes.fromhex(commands.run_json(self._debugger, command, self._frame, self._context())["bytes"])
            data += part
            if len(part) < count:
                raise Error(f"{self.space} memory ends at {address + len(data):#x}: {len(data)} of {size} bytes can be "
                            "read")
        return data

    def write(self, address: int, data: bytes) -> None:
        """Writes ``data`` at ``address``."""
        if address < 0:
            raise Error("the address may not be negative")
        if self.space in ("global", 0):
            error = lldb.SBError()
            if self._process.WriteMemory(address, bytes(data), error) != len(data) or error.Fail():
                raise Error(f"global memory at {address:#x} can't be written: {error.GetCString()}")
            return
        for at in range(0, len(data), _WRITE_CHUNK):
            numbers = " ".join(str(byte) for byte in data[at:at + _WRITE_CHUNK])
            commands.run(self._debugger, self._command("write", f"{address + at:#x} {numbers}"), self._frame,
                         self._context())

    def _context(self) -> Optional[Any]:
        return None if self._frame is not None else lldb.SBExecutionContext(self._process)

    def __getitem__(self, where: Union[int, slice]) -> Union[int, bytes]:
        """A byte as a number, or the bytes of a slice, which needs both ends."""
        if isinstance(where, slice):
            if where.start is None or where.stop is None or where.step not in (None, 1):
                raise Error("a slice of memory has a beginning and an end, and no step")
            return self.read(where.start, where.stop - where.start)
        return self.read(where, 1)[0]

    def __setitem__(self, where: Union[int, slice], data: Union[int, bytes]) -> None:
        if isinstance(where, slice):
            start = where.start
            if isinstance(data, int) or start is None or where.stop is None or where.stop - start != len(data):
                raise Error("a slice of memory is set to as many bytes as it has")
            self.write(start, data)
        else:
            self.write(where, bytes([data]) if isinstance(data, int) else data)

    def __repr__(self) -> str:
        return f"<Memory {self.space}{'' if self.lane is None else f' of lane {self.lane}'}>"
