# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLDB's commands and their answers."""
import json
from typing import Any, Optional

import lldb

from .errors import Error


def run(debugger: Any, text: str, frame: Optional[Any] = None, context: Optional[Any] = None) -> str:
    """What the command ``text`` prints.

    It runs in ``frame`` (an SBFrame) or in ``context`` (an SBExecutionContext), whatever is selected; without them, in
    the selected frame. Raises :class:`Error` with the command's own text.
    """
    result = lldb.SBCommandReturnObject()
    interpreter = debugger.GetCommandInterpreter()
    if frame is not None:
        context = lldb.SBExecutionContext(frame)
    if context is not None:
        interpreter.HandleCommand(text, context, result, False)
    else:
        interpreter.HandleCommand(text, result, False)
    if not result.Succeeded():
        message = without_prefix(result.GetError() or "") or without_prefix(result.GetOutput() or "")
        raise Error(message or f"'{text}' has failed")
    return result.GetOutput() or ""


def without_prefix(message: str) -> str:
    """A command's error text without LLDB's notes and "error: "."""
    lines = message.strip().splitlines()
    while len(lines) > 1 and lines[0].startswith("note: "):
        del lines[0]
    return "\n".join(lines).removeprefix("error: ")


#: The version of docs/commands.schema.json that this package reads.
SCHEMA = 1


def _without_schema(value: Any, text: str) -> Any:
    """An object without the version of its schema, which must be this package's."""
    if isinstance(value, dict) and value.pop("schema", SCHEMA) != SCHEMA:
        raise Error(f"'{text}' has answered JSON of another version than {SCHEMA}: LLDB and this package aren't of the same Wavelane")
    return value


def run_json(debugger: Any, text: str, frame: Optional[Any] = None, context: Optional[Any] = None) -> Any:
    """The answer of a command with ``--json`` (docs/json.md)."""
    answer = run(debugger, text, frame, context)
    try:
        value = json.loads(answer)
    except ValueError as error:
        raise Error(f"'{text}' has answered no JSON: {error}") from error
    if isinstance(value, list):
        return [_without_schema(element, text) for element in value]
    return _without_schema(value, text)


def quote(word: str) -> str:
    """``word`` as one argument of a command."""
    for special in "\\\"`":
        word = word.replace(special, "\\" + special)
    return f'"{word}"'
