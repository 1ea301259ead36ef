# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the LLDB that has Wavelane in it, for a plain ``python3``."""
import importlib
import importlib.util
import pathlib
import shutil
import sys
from typing import Iterator, Optional

_PLACES = ("/usr/lib/wavelane", "/usr/local/lib/wavelane", "/opt/wavelane/lib/wavelane")


def _is_ours(module: Optional[str]) -> bool:
    """Whether the ``lldb`` in this file belongs to an LLDB with Wavelane's plugin."""
    if not module:
        return False
    native = pathlib.Path(module).parent / "native"
    libraries = [file.resolve() for file in native.glob("_lldb.*")]
    return any((library.parent / "lldb" / "plugins" / "libwavelane.so").exists() for library in libraries)


def _installations() -> Iterator[pathlib.Path]:
    """Folders with bin/ and lib/, the first of PATH first."""
    for name in ("wavelane-lldb", "wavelane"):
        program = shutil.which(name)
        if program:
            yield pathlib.Path(program).resolve().parent.parent
    yield from map(pathlib.Path, _PLACES)


def _version(packages: pathlib.Path) -> Optional[str]:
    """The version of the package ``wavelane`` in a folder of packages."""
    for folder in packages.glob("wavelane-*.dist-info"):
        return folder.name[len("wavelane-"):-len(".dist-info")]
    return None


def load_lldb() -> None:
    """Imports ``lldb``, Wavelane's and no other one.

    Raises ImportError, which says what to do, if there is none for this Python.
    """
    loaded = sys.modules.get("lldb")
    if loaded is not None:
        # LLDB's own Python has no other one.
        file = getattr(loaded, "__file__", None)
        if not _is_ours(file):
            raise ImportError(f"the lldb of {file} has no Wavelane: import wavelane before lldb, or start python3 "
                              "without PYTHONPATH")
        return
    spec = importlib.util.find_spec("lldb")
    if spec is not None and _is_ours(spec.origin):
        importlib.import_module("lldb")
        return
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    other = None
    for folder in _installations():
        for module in sorted(folder.glob("**/dist-packages/lldb/__init__.py")):
            packages = module.parent.parent
            if not _is_ours(str(module)):
                continue
            if packages.parent.name != version:
                other = f"the LLDB of {folder} is for {packages.parent.name}, and this is {version}: use {packages.parent.name}"
                continue
            mine, theirs = _version(pathlib.Path(__file__).resolve().parent.parent), _version(packages)
            if mine and theirs and mine != theirs:
                other = f"the Wavelane of {folder} is {theirs}, and this package is {mine}: pip install wavelane-{theirs}-py3-none-any.whl"
                continue
            sys.path.insert(0, str(packages))
            try:
                importlib.import_module("lldb")
            finally:
                sys.path.remove(str(packages))
            return
    found = f"; {spec.origin} is an LLDB without it" if spec is not None and spec.origin else ""
    raise ImportError(other or f"no LLDB with Wavelane: install Wavelane, or put its bin folder into PATH{found}")
