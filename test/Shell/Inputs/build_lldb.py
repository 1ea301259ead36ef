# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/build-lldb when it can't continue: each time one clear line, an exit code, and a usable state for the next call.

apt and df are replaced by scripts; the rest is the real script with a separate cache."""
import fcntl
import os
import subprocess
import sys
import tempfile

script = sys.argv[1]
with open(os.path.join(os.path.dirname(script), "llvm-version")) as file:
    VERSION = file.read().strip()
PACKAGE = "llvm-toolchain-" + VERSION.split(".")[0]
TARBALL = f"package/{PACKAGE}-{VERSION}.orig.tar.xz"
with open(os.path.join(os.path.dirname(script), "lldb", "source-hash")) as file:
    HASH = file.read().strip()

# apt-cache lists the source in every suite; apt-get "downloads" a file with different contents.
OTHER_FILE = {
    "apt-cache": f"echo 'Version: 1:{VERSION}-3'; echo ' {HASH} 196630560 {PACKAGE}_{VERSION}.orig.tar.xz'",
    "apt-get": f'for a; do [ "$a" != source ] || echo other > {PACKAGE}_{VERSION}.orig.tar.xz; done',
}
# The index lists the file, but the mirror lacks it.
NO_FILE = {**OTHER_FILE, "apt-get": "exit 100"}
NO_SUITE = {"apt-cache": ":", "apt-get": "exit 100"}
NO_ROOM = {**NO_SUITE, "df": "echo header; echo / 1 2 300 4% /"}


class Cache:
    def __init__(self, folder):
        self.folder = folder

    def call(self, commands):
        tools = tempfile.mkdtemp(dir=folder)
        for name, text in commands.items():
            path = os.path.join(tools, name)
            with open(path, "w") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
        environment = {**os.environ, "WAVELANE_LLDB_CACHE": self.folder, "PATH": f"{tools}:{os.environ['PATH']}"}
        return subprocess.Popen([script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def path(self, name):
        return os.path.join(self.folder, name)


def show(what, process):
    out, err = process.communicate(timeout=60)
    print(f"{what}: exit {process.returncode}, printed {out!r}")
    print("".join(f"  {line}\n" for line in err.replace(os.path.dirname(cache.folder), "DIR").splitlines()), end="")


with tempfile.TemporaryDirectory() as folder:
    cache = Cache(os.path.join(folder, "cache"))
    show("no suite", cache.call(NO_SUITE))
    show("no file", cache.call(NO_FILE))
    show("another file", cache.call(OTHER_FILE))
    print("left:", sorted(os.listdir(cache.path("package"))))

    os.makedirs(cache.path("package"), exist_ok=True)
    with open(cache.path(TARBALL), "w") as file:
        file.write("cut short")
    show("a damaged tarball", cache.call(NO_SUITE))
    print("is it kept?", "yes" if os.path.exists(cache.path(TARBALL)) else "no")

    show("no room", cache.call(NO_ROOM))

    with open(cache.path("key"), "w") as file:
        file.write("of an older state\n")
    show("an older cache", cache.call(NO_SUITE))
    print("is its key kept?", "yes" if os.path.exists(cache.path("key")) else "no")

    with open(cache.path("lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = cache.call(NO_SUITE)
        print("while another builds:", second.stderr.readline().replace(folder, "DIR").strip())
    show("afterwards", second)

    cache = Cache("/proc/no/folder")
    show("a folder that can't be made", cache.call(NO_SUITE))
