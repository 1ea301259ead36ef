# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes as tables of HTML, for notebooks (Jupyter's ``_repr_html_``).

The HTML is self-contained, without scripts; all text of the program is escaped.
"""
from html import escape
from typing import Any, Iterable, List, Optional, Tuple

#: How many lanes a row has.
COLUMNS = 16
_CELL = "min-width:2.2em;padding:2px 4px;text-align:right;font:12px monospace;border:1px solid #8884;"
_ACTIVE, _INACTIVE, _DONE = "background:#2a9d55;color:#fff;", "background:#8884;", "background:none;color:#8888;"
_FOCUS = "outline:2px solid #d33;"


def _table(caption: str, cells: Iterable[Tuple[str, str, str]]) -> str:
    """A table of cells, each with its text, style and hint."""
    rows: List[List[str]] = []
    for number, (text, style, hint) in enumerate(cells):
        if number % COLUMNS == 0:
            rows.append([f'<th style="{_CELL}">{number}</th>'])
        rows[-1].append(f'<td style="{_CELL}{style}" title="{escape(hint)}">{escape(text)}</td>')
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (f'<table style="border-collapse:collapse"><caption style="text-align:left">{escape(caption)}</caption>'
            f"{body}</table>")


def lane_grid(caption: str, lanes: Iterable[Any]) -> str:
    """The lanes of a thread (:class:`wavelane.Lane`): whether each executes, and its work-item and line as a hint."""
    cells = []
    active = count = 0
    for lane in lanes:
        count += 1
        active += lane.active
        style = _ACTIVE if lane.active else _DONE if lane.done else _INACTIVE
        place = lane.line if lane.active else lane.goes_on_at
        where = "at" if lane.active else "goes on at"
        hint = f"lane {lane.index}"
        if lane.work_item is not None:
            hint += f", work-item {lane.work_item}"
        if lane.done:
            hint += ", done"
        elif place:
            hint += f", {where} {place}"
        cells.append((str(lane.index), style + (_FOCUS if lane.is_focus else ""), hint))
    return _table(f"{caption}: {active} of {count} lanes active", cells)


def _shade(value: Any, low: float, high: float, active: bool) -> str:
    """From white for the lowest value to blue for the highest; paler, and in gray, where the lane is inactive."""
    part = (float(value) - low) / (high - low) if high > low else 0.0
    if not active:
        part *= 0.35
    red, green = round(255 - 205 * part), round(255 - 165 * part)
    return f"background:rgb({red},{green},255);color:{'#666' if not active else '#fff' if part > 0.6 else '#000'};"


def value_map(values: Any) -> str:
    """The values of an expression in all lanes (:class:`wavelane.LaneValues`), numbers shaded by size."""
    def number(value: Any) -> Optional[float]:
        is_number = isinstance(value, (int, float)) and value == value and abs(value) != float("inf")
        return float(value) if is_number else None

    numbers = [number(value) for value in values]
    known = [value for value in numbers if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    cells = []
    for lane, (text, value, active) in enumerate(zip(values.texts, numbers, values.active)):
        error = values.errors.get(lane)
        style = _shade(value, low, high, active) if value is not None else "" if active else "opacity:0.4;"
        hint = f"lane {lane}" + ("" if active else ", inactive")
        if error:
            hint += f": {error}"
        cells.append((text if text is not None else "–", style, hint))
    return _table(f"{values.expression} ({values.type})", cells)
