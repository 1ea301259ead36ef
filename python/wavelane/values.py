# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of the program as Python values, by LLDB's types."""
import struct
from typing import Any, Dict, List, Optional, Tuple

import lldb

from .errors import Error

_SIGNED = {
    lldb.eBasicTypeChar, lldb.eBasicTypeSignedChar, lldb.eBasicTypeWChar, lldb.eBasicTypeSignedWChar,
    lldb.eBasicTypeShort, lldb.eBasicTypeInt, lldb.eBasicTypeLong, lldb.eBasicTypeLongLong, lldb.eBasicTypeInt128,
}
_UNSIGNED = {
    lldb.eBasicTypeUnsignedChar, lldb.eBasicTypeUnsignedWChar, lldb.eBasicTypeChar16, lldb.eBasicTypeChar32,
    lldb.eBasicTypeUnsignedShort, lldb.eBasicTypeUnsignedInt, lldb.eBasicTypeUnsignedLong,
    lldb.eBasicTypeUnsignedLongLong, lldb.eBasicTypeUnsignedInt128, lldb.eBasicTypeNullPtr,
}
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}
_FLOAT_TYPES = {lldb.eBasicTypeHalf, lldb.eBasicTypeFloat, lldb.eBasicTypeDouble, lldb.eBasicTypeLongDouble}
_POINTERS = (lldb.eTypeClassPointer | lldb.eTypeClassReference | lldb.eTypeClassMemberPointer |
             lldb.eTypeClassFunction | lldb.eTypeClassBlockPointer)
_RECORDS = lldb.eTypeClassStruct | lldb.eTypeClassClass | lldb.eTypeClassUnion


def _extended_float(data: bytes) -> float:
    """A float of x87's 80 bits."""
    mantissa = int.from_bytes(data[:8], "little")
    exponent = int.from_bytes(data[8:10], "little")
    sign = -1.0 if exponent & 0x8000 else 1.0
    exponent &= 0x7fff
    if exponent == 0x7fff:
        return sign * float("inf") if mantissa == 1 << 63 else float("nan")
    try:
        return sign * mantissa * 2.0 ** (exponent - 16383 - 63)
    except OverflowError:
        return sign * float("inf") if exponent > 16383 else 0.0


def _basic_type(kind: Any) -> int:
    """The basic type of an SBType; LLDB 22 has none for _Float16."""
    return int(lldb.eBasicTypeHalf if kind.GetName() == "_Float16" else kind.GetBasicType())


def _scalar(basic: int, data: bytes) -> Any:
    if basic == lldb.eBasicTypeBool:
        return any(data)
    if basic in _SIGNED:
        return int.from_bytes(data, "little", signed=True)
    if basic in _UNSIGNED:
        return int.from_bytes(data, "little")
    if basic in _FLOAT_TYPES:
        code = _FLOATS.get(len(data))
        return struct.unpack(code, data)[0] if code else _extended_float(data)
    if basic == lldb.eBasicTypeFloatComplex:
        return complex(*struct.unpack("<ff", data))
    if basic == lldb.eBasicTypeDoubleComplex:
        return complex(*struct.unpack("<dd", data))
    raise Error("a value of this type has no counterpart in Python")


def _fields(kind: Any) -> List[Tuple[Optional[str], Any, int, Optional[int]]]:
    """Name, type, bit offset and, for bit-fields, size in bits of a record's members."""
    found: List[Tuple[Optional[str], Any, int, Optional[int]]] = []
    for index in range(kind.GetNumberOfDirectBaseClasses()):
        base = kind.GetDirectBaseClassAtIndex(index)
        found.append((None, base.GetType(), base.GetOffsetInBits(), None))
    for index in range(kind.GetNumberOfFields()):
        field = kind.GetFieldAtIndex(index)
        bits = field.GetBitfieldSizeInBits() if field.IsBitfield() else None
        found.append((field.GetName() or None, field.GetType(), field.GetOffsetInBits(), bits))
    return found


def element(kind: Any) -> Optional[Any]:
    """The type of the elements of an array or vector type."""
    if kind.GetTypeClass() & lldb.eTypeClassArray:
        return kind.GetArrayElementType()
    if kind.GetTypeClass() & lldb.eTypeClassVector:
        return kind.GetVectorElementType()
    return None


def decode(kind: Any, data: bytes) -> Any:
    """``data`` as a value of ``kind``, an SBType.

    Numbers, enumerators and addresses become int, float, bool or complex, arrays and vectors lists, and structs, unions
    and classes dicts, which include the members of base classes and of unnamed members.
    """
    kind = kind.GetCanonicalType()
    size = kind.GetByteSize()
    if len(data) < size:
        raise Error(f"a value of type '{kind.GetName()}' has {size} bytes, not {len(data)}")
    data = data[:size]
    what = kind.GetTypeClass()
    if what & _POINTERS:
        return int.from_bytes(data, "little")
    if what & lldb.eTypeClassEnumeration:
        return decode(kind.GetEnumerationIntegerType(), data)
    of = element(kind)
    if of is not None:
        step = of.GetByteSize()
        return [decode(of, data[at:at + step]) for at in range(0, size - step + 1, step)] if step else []
    if what & _RECORDS:
        result: Dict[str, Any] = {}
        for name, member, offset, bits in _fields(kind):
            if bits is not None:
                value = int.from_bytes(data, "little") >> offset & (1 << bits) - 1
                held = member.GetCanonicalType()
                if held.GetTypeClass() & lldb.eTypeClassEnumeration:
                    held = held.GetEnumerationIntegerType().GetCanonicalType()
                if held.GetBasicType() in _SIGNED and value >> (bits - 1) & 1:
                    value -= 1 << bits
                result[name or ""] = bool(value) if held.GetBasicType() == lldb.eBasicTypeBool else value
            else:
                value = decode(member, data[offset // 8:])
                if name is None and isinstance(value, dict):
                    result.update(value)
                else:
                    result[name or ""] = value
        return result
    return _scalar(_basic_type(kind), data)


def dtype(kind: Any) -> Any:
    """numpy's description of a type: a code, (code, shape) for an array, a dict for a record; None if there is none."""
    kind = kind.GetCanonicalType()
    size = kind.GetByteSize()
    what = kind.GetTypeClass()
    if what & _POINTERS:
        return f"<u{size}"
    if what & lldb.eTypeClassEnumeration:
        return dtype(kind.GetEnumerationIntegerType())
    of = element(kind)
    if of is not None:
        inner, step = dtype(of), of.GetByteSize()
        return (inner, (size // step,)) if inner is not None and step else None
    if what & _RECORDS:
        names, formats, offsets = [], [], []
        for name, member, offset, bits in _fields(kind):
            inner = dtype(member)
            if name is None or bits is not None or inner is None:
                return None
            names.append(name)
            formats.append(inner)
            offsets.append(offset // 8)
        return {"names": names, "formats": formats, "offsets": offsets, "itemsize": size} if names else None
    basic = _basic_type(kind)
    if basic == lldb.eBasicTypeBool:
        return "?"
    if size in (1, 2, 4, 8) and basic in _SIGNED:
        return f"<i{size}"
    if size in (1, 2, 4, 8) and basic in _UNSIGNED:
        return f"<u{size}"
    if basic in _FLOAT_TYPES and size in _FLOATS:
        return f"<f{size}"
    if basic == lldb.eBasicTypeFloatComplex:
        return "<c8"
    if basic == lldb.eBasicTypeDoubleComplex:
        return "<c16"
    return None
