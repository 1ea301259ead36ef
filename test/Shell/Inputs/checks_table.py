# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks and the kinds of findings, as the sources' table has them."""
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[3] / "include" / "wavelane" / "Protocol" / "Device" / "Checks.def"


def entries(what):
    """The texts of each entry: of a CHECK its name, label and help, of a FINDING its name and summary."""
    for entry in re.findall(rf"(?ms)^WAVELANE_{what}(?:_BY_NAME)?\((.*?)\)$", TABLE.read_text()):
        yield re.findall(r'"([^"]+)"', entry)
