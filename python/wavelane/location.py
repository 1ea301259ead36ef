# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a variable is, and why."""
from typing import Any, Dict, List, Optional


class Place:
    """Where an object or a part of it is: memory, a register, bytes that stand nowhere, or parts of these."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def kind(self) -> str:
        """"memory", "register", "implicit", "implicit pointer", "composite", "multi" or "undefined"."""
        return str(self.data["kind"])

    @property
    def space(self) -> Optional[str]:
        """Memory: the name of its address space, else its DWARF number."""
        number = self.data.get("space")
        name = self.data.get("space_name")
        return str(name) if name is not None else None if number is None else str(number)

    @property
    def address(self) -> Optional[int]:
        """Memory: the address in its space."""
        return self.data.get("address")

    @property
    def lane(self) -> Optional[int]:
        """Memory that each lane has for itself: whose."""
        return self.data.get("lane")

    @property
    def register(self) -> Optional[str]:
        """Register: its name."""
        return self.data.get("register")

    @property
    def offset(self) -> int:
        """Bytes from the first one of a register, of implicit bytes or of a composite."""
        return int(self.data.get("offset", 0))

    @property
    def bit(self) -> int:
        """Further bits to the offset or address."""
        return int(self.data.get("bit", 0))

    @property
    def bytes(self) -> Optional[bytes]:
        """Implicit: the bytes."""
        return bytes.fromhex(self.data["bytes"]) if "bytes" in self.data else None

    @property
    def begin(self) -> Optional[int]:
        """Part of a composite: the first byte of the whole that it is."""
        return self.data.get("begin")

    @property
    def end(self) -> Optional[int]:
        """Part of a composite: the byte after its last one; None where it has no end."""
        return self.data.get("end")

    @property
    def parts(self) -> List["Place"]:
        """Composite: the parts in order. Multi: places that all hold the object."""
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
        """As ``fbreg 44``."""
        return str(self.data["operation"])

    @property
    def stack(self) -> List[str]:
        """In words, the top last."""
        return [str(entry) for entry in self.data["stack"]]

    def __repr__(self) -> str:
        return f"<Step {self.operation}: {', '.join(self.stack)}>"


class Location:
    """Where debug information says that a variable is, for one lane (``dwarf variable --json``)."""

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
        """Bytes that it has."""
        return int(self.data["size"])

    @property
    def lane(self) -> int:
        """The lane that was asked for."""
        return int(self.data["lane"])

    @property
    def description(self) -> str:
        """In words."""
        return str(self.data.get("location", ""))

    @property
    def expression(self) -> Optional[bytes]:
        """The DWARF expression; None where there is none (a constant, or optimized out)."""
        return bytes.fromhex(self.data["expression"]) if "expression" in self.data else None

    @property
    def steps(self) -> List[Step]:
        """The expression's operations."""
        return [Step(step) for step in self.data.get("steps", ())]

    @property
    def value(self) -> Optional[str]:
        """Where the expression gives a value rather than a place: that value, in words."""
        return self.data.get("value")

    @property
    def place(self) -> Optional[Place]:
        """Where it is; None where it is nowhere."""
        return Place(self.data["place"]) if "place" in self.data else None

    @property
    def bytes(self) -> Optional[bytes]:
        """What stands there; bytes that are undefined are zero."""
        return bytes.fromhex(self.data["bytes"]) if "bytes" in self.data else None

    @property
    def undefined_bytes(self) -> List[int]:
        """The numbers of the bytes that have no value."""
        return list(self.data.get("undefined_bytes", ()))

    @property
    def error(self) -> Optional[str]:
        """Why the expression can't be evaluated, or the place not read."""
        return self.data.get("error")

    def __repr__(self) -> str:
        return f"<Location {self.name}: {self.description or self.error}>"
