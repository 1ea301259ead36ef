# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a variable is, and why."""
from typing import Any, Dict, List, Optional


class Place:
    """Where an object or a part of it is: memory, a register, bytes without storage, or parts of these."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def kind(self) -> str:
        """"memory", "register", "implicit", "implicit pointer", "composite", "multi" or "undefined"."""
        return str(self.data["kind"])

    @property
    def space(self) -> Optional[str]:
        """Memory: the name of its address space, or its DWARF number if it has none."""
        number = self.data.get("space")
        name = self.data.get("space_name")
        return str(name) if name is not None else None if number is None else str(number)

    @property
    def address(self) -> Optional[int]:
        """Memory: the address in its space."""
        return self.data.get("address")

    @property
    def lane(self) -> Optional[int]:
        """Memory that is private to a lane: that lane."""
        return self.data.get("lane")

    @property
    def register(self) -> Optional[str]:
        """Register: its name."""
        return self.data.get("register")

    @property
    def offset(self) -> int:
        """Byte offset in a register, in implicit bytes or in a composite."""
        return int(self.data.get("offset", 0))

    @property
    def bit(self) -> int:
        """Bits to add to the offset or address."""
        return int(self.data.get("bit", 0))

    @property
    def bytes(self) -> Optional[bytes]:
        """Implicit: the bytes."""
        return bytes.fromhex(self.data["bytes"]) if "bytes" in self.data else None

    @property
    def begin(self) -> Optional[int]:
        """Part of a composite: its first byte in the whole."""
        return self.data.get("begin")

    @property
    def end(self) -> Optional[int]:
        """Part of a composite: the byte after its last one; None if it is unbounded."""
        return self.data.get("end")

    @property
    def parts(self) -> List["Place"]:
        """Composite: the parts in order. Multi: the places, each of which holds the whole object."""
        return [Place(part) for part in self.data.get("parts", ())]

    def __repr__(self) -> str:
        facts = ", ".join(f"{key}={value!r}" for key, value in self.data.items() if key not in ("kind", "parts"))
        return f"<Place {self.kind}{': ' if facts else ''}{facts}>"


class Step:
    """An operation of a DWARF expression, and the stack after it."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def operation(self) -> str:
        """Such as ``fbreg 44``."""
        return str(self.data["operation"])

    @property
    def stack(self) -> List[str]:
        """The stack's entries in words, the top last."""
        return [str(entry) for entry in self.data["stack"]]

    def __repr__(self) -> str:
        return f"<Step {self.operation}: {', '.join(self.stack)}>"


class Location:
    """A variable's location by debug information, for one lane (``dwarf variable --json``)."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def name(self) -> str:
        """The variable's name."""
        return str(self.data["name"])

    @property
    def type(self) -> str:
        """The name of its type."""
        return str(self.data["type"])

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return int(self.data["size"])

    @property
    def lane(self) -> int:
        """The lane that was asked for."""
        return int(self.data["lane"])

    @property
    def description(self) -> str:
        """The location in words."""
        return str(self.data.get("location", ""))

    @property
    def expression(self) -> Optional[bytes]:
        """The DWARF expression; None for a constant or a variable that was optimized out."""
        return bytes.fromhex(self.data["expression"]) if "expression" in self.data else None

    @property
    def steps(self) -> List[Step]:
        """The expression's operations."""
        return [Step(step) for step in self.data.get("steps", ())]

    @property
    def value(self) -> Optional[str]:
        """The value in words, if the expression gives a value rather than a place."""
        return self.data.get("value")

    @property
    def place(self) -> Optional[Place]:
        """Where it is, or None."""
        return Place(self.data["place"]) if "place" in self.data else None

    @property
    def bytes(self) -> Optional[bytes]:
        """Its bytes; undefined bytes are zero."""
        return bytes.fromhex(self.data["bytes"]) if "bytes" in self.data else None

    @property
    def provenance(self) -> str:
        """What the value is: "current", "stale", from the "dispatch" or the "source", "ambiguous" or "unavailable"."""
        return str(self.data.get("provenance", "unavailable"))

    @property
    def note(self) -> Optional[str]:
        """Where a value that isn't the current one is from, or why there is none."""
        return self.data.get("note")

    @property
    def undefined_bytes(self) -> List[int]:
        """The offsets of its undefined bytes."""
        return list(self.data.get("undefined_bytes", ()))

    @property
    def error(self) -> Optional[str]:
        """Why the expression can't be evaluated, or the place can't be read."""
        return self.data.get("error")

    def __repr__(self) -> str:
        return f"<Location {self.name}: {self.description or self.error}>"
