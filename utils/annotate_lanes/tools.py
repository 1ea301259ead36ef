# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's tools, of whichever versions are installed."""
import glob
import os
import re
import shutil


def newest(name):
    """The path of a tool, of the newest version that has a number in its name or folder; None if there is none."""
    found = []
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found += [(int(match[1]), path) for path in glob.glob(os.path.join(glob.escape(folder or "."), name + "-*"))
                  if (match := re.fullmatch(re.escape(name) + r"-(\d+)", os.path.basename(path)))]
    found += [(int(match[1]), path) for path in glob.glob(f"/usr/lib/llvm-*/bin/{name}")
              if (match := re.match(r"/usr/lib/llvm-(\d+)/", path))]
    found = [(version, path) for version, path in found if os.access(path, os.X_OK)]
    return max(found)[1] if found else shutil.which(name)
