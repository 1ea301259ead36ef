# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/build and utils/build-lldb after what can go wrong, with small projects in place of Wavelane and LLDB: each time, the next call continues.

What apt does when it upgrades a package is done in this process's own file system (unshare -m): another header, with the
time that it has in its package, and another version in dpkg's list."""
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

repository = pathlib.Path(sys.argv[1]).resolve()
MAJOR = (repository / "utils" / "llvm-version").read_text().split(".")[0]
HEADER, PACKAGE = pathlib.Path("/usr/include/asm-generic/errno-base.h"), "linux-libc-dev"
STATUS = pathlib.Path("/var/lib/dpkg/status")
# The compiler: it notes what it compiles, and waits in front of second.cpp if there is a gate.
COMPILER = """#!/bin/sh
case "$*" in
  *" -c "*) echo "$*" | sed 's/.* -c //; s/.*[/]//' >> {top}/compiled
    case "$*" in
      *second.cpp) if [ -p {top}/reached ]; then echo > {top}/reached; read x < {top}/go; fi ;;
    esac ;;
esac
exec {real} "$@"
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
include(CheckIncludeFileCXX)
check_include_file_cxx(cerrno HAS_ERRNO)
if(NOT HAS_ERRNO)
  message(FATAL_ERROR "there is no <cerrno>")
endif()
add_executable(PROGRAM first.cpp second.cpp)
target_precompile_headers(PROGRAM PRIVATE <cerrno>)
"""
FIRST = "int second(); int main() { return second() - EINTR; }\n"
SECOND = "int second() { return EINTR; }\n"
SHARED = ("utils/build-steps", "utils/drop-stale", "utils/llvm-version")


def mount(*arguments):
    subprocess.run(("mount", *arguments), check=True)


class Project:
    """A small project in place of Wavelane, which utils/build builds."""

    program, command, copied = "wavelane-session", "utils/build", ("utils/build", "utils/progress", "cmake/DropStale.cmake", "CMakePresets.json")
    files = {
        "CMakeLists.txt": CMAKE.replace("PROGRAM", program) + "add_custom_target(wavelane-site)\ninclude(cmake/DropStale.cmake)\n",
        "first.cpp": FIRST,
        "second.cpp": SECOND,
        "utils/build-lldb": "#!/bin/sh\necho /no/lldb\n",
        # Other packages are other tests' matter.
        "utils/packages": PACKAGE + "\n",
    }

    def __init__(self, top):
        self.top, self.build = top, top / "build"
        for name, text in self.files.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text)
        for name in SHARED + self.copied:
            (top / name).parent.mkdir(exist_ok=True)
            shutil.copy2(repository / name, top / name)
        (top / "utils" / "build-lldb").chmod(0o755)
        self.environment = {**os.environ, "CXX": str(top / "compiler")}
        self.choose_compiler(f"/usr/lib/llvm-{MAJOR}/bin/clang++")

    def remove_ccache(self):
        (self.top / "bin" / "ccache").unlink()
        while installed := shutil.which("ccache"):
            folder = os.path.dirname(os.path.realpath(installed))
            for name in ("upper", "work"):
                (self.top / name).mkdir()
            mount("-t", "overlay", "overlay", "-o", f"lowerdir={folder},upperdir={self.top}/upper,workdir={self.top}/work", folder)
            os.unlink(installed)

    def choose_compiler(self, real):
        compiler = self.top / "compiler"
        compiler.write_text(COMPILER.format(top=self.top, real=real))
        compiler.chmod(0o755)

    def start(self, *command):
        return subprocess.Popen(command or (self.top / self.command,), env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def compiled(self):
        """What was compiled since the last call."""
        noted = self.top / "compiled"
        lines = noted.read_text().split() if noted.exists() else []
        noted.unlink(missing_ok=True)
        return ["header" if line.startswith("cmake_pch") else line for line in lines if "CMakeCXXCompiler" not in line and "testCXX" not in line and "CheckInclude" not in line]

    def show(self, what, *command):
        process = self.start(*command)
        text = process.communicate()[0]
        works = process.returncode == 0 and subprocess.run(self.build / self.program).returncode == 0
        if not works:
            print(text)
        print(f"{what}: exit {process.returncode}, {'works' if works else 'fails'}, compiled: {', '.join(sorted(self.compiled())) or 'nothing'}",
              flush=True)

    def change(self):
        """The next build compiles all."""
        for path in list(self.build.rglob("*.pch")):
            path.unlink()

    def gate(self):
        os.mkfifo(self.top / "go")
        os.mkfifo(self.top / "reached")

    def reached(self):
        """Waits until second.cpp is compiled."""
        (self.top / "reached").read_text()

    def open_gate(self):
        (self.top / "go").write_text("\n")
        self.remove_gate()

    def remove_gate(self):
        for name in ("reached", "go"):
            (self.top / name).unlink()


class CcacheProject(Project):
    """The same, where ccache is installed."""

    copied = Project.copied + ("cmake/Ccache.cmake",)
    files = {**Project.files, "CMakeLists.txt": Project.files["CMakeLists.txt"].replace("include(Check", "include(cmake/Ccache.cmake)\ninclude(Check", 1)}

    def __init__(self, top):
        super().__init__(top)
        (top / "bin").mkdir()
        ccache = top / "bin" / "ccache"
        ccache.write_text('#!/bin/sh\nexec "$@"\n')
        ccache.chmod(0o755)
        self.environment["PATH"] = f"{top}/bin:{os.environ['PATH']}"


class LLDB(Project):
    """A small project in place of LLDB, which utils/build-lldb builds."""

    program, command, copied = "lldb", "utils/build-lldb", ("utils/build-lldb",)
    others = "liblldb lldbDAP LLDBDAPOptionsTableGen lldb-server lldb-mcp lldb-argdumper lldb-python"
    files = {
        "source/lldb/CMakeLists.txt": CMAKE.replace("PROGRAM", program) + f"foreach(name {others})\n  add_custom_target(${{name}})\nendforeach()\n",
        "source/lldb/first.cpp": FIRST,
        "source/lldb/second.cpp": SECOND,
        "source/cmake/none": "",
        "source/third-party/none": "",
        "utils/lldb/faster.cmake": "# A comment.\n",
    }
    patch = """From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
Subject: [PATCH] {subject}

diff --git a/lldb/second.cpp b/lldb/second.cpp
--- a/lldb/second.cpp
+++ b/lldb/second.cpp
@@ -1 +1 @@
-int second() {{ return EINTR; }}
+int second() {{ return EINTR; }} // {comment}
"""

    def __init__(self, top, ccache=False):
        super().__init__(top)
        cache, version = top / "cache", (repository / "utils" / "llvm-version").read_text().strip()
        tarball = cache / "package" / f"llvm-toolchain-{MAJOR}-{version}.orig.tar.xz"
        tarball.parent.mkdir(parents=True)
        subprocess.run(("tar", "-cJf", tarball, "-C", top, f"--transform=s,^source,llvm-toolchain-{MAJOR},", "source"), check=True)
        (top / "utils/lldb/source-hash").write_text(hashlib.sha256(tarball.read_bytes()).hexdigest() + "\n")
        (top / "utils/lldb-patches").mkdir()
        self.build = cache / "build"
        self.environment = {**os.environ, "WAVELANE_LLDB_CACHE": str(cache), "CMAKE_CXX_COMPILER_LAUNCHER": str(top / "compiler")}
        self.choose_compiler("")
        self.set_patch("Say why", "patched")
        if ccache:
            (top / "bin").mkdir()
            (top / "compiler").rename(top / "bin" / "ccache")
            del self.environment["CMAKE_CXX_COMPILER_LAUNCHER"]
            self.environment["PATH"] = f"{top}/bin:{os.environ['PATH']}"
        else:
            # What was built without ccache goes on without it.
            self.build.mkdir()

    def set_patch(self, subject, comment):
        (self.top / "utils/lldb-patches/0001-second.patch").write_text(self.patch.format(subject=subject, comment=comment))

    def change(self):
        super().change()
        (self.build.parent / "key").unlink(missing_ok=True)


class Machine:
    """A header and dpkg's list of this process's own."""

    def __init__(self, folder):
        self.header, self.status, self.number, self.times = folder / "header.h", folder / "status", 0, HEADER.stat().st_mtime
        shutil.copy2(HEADER, self.header)
        shutil.copy2(STATUS, self.status)
        mount("--make-rprivate", "/")
        mount("--bind", self.header, HEADER)
        mount("--bind", self.status, STATUS)

    def upgrade(self, package, header=None):
        self.number += 1
        if header:
            self.header.write_text(header)
            os.utime(self.header, (self.times, self.times))
        text, count = re.subn(rf"(?m)^(Package: {re.escape(package)}\n(?:.+\n)*?Version: [^+\n]*)(?:\+test\d+)?$", rf"\g<1>+test{self.number}",
                              self.status.read_text())
        assert count == 1, package
        self.status.write_text(text)


def kill(process):
    """Kills all that a build has started; ninja's commands are in process groups of their own."""
    os.kill(process.pid, signal.SIGKILL)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, session = int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[3])
            if session == process.pid:
                os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


def recover(project, machine, text):
    """What goes wrong in the middle."""
    project.gate()
    project.change()
    process = project.start()
    project.reached()
    machine.upgrade(PACKAGE, text + "/* in the middle */\n")
    project.open_gate()
    output = process.communicate()[0]
    if process.returncode:
        print(output)
    print("a header replaced during the build: exit", process.returncode, "compiled:", ", ".join(sorted(project.compiled())))
    project.show("the next call")

    project.gate()
    project.change()
    process = project.start()
    project.reached()
    kill(process)
    process.communicate()
    project.remove_gate()
    project.compiled()
    print("killed: exit", process.returncode)
    project.show("the next call")
    # A check of the compiler that is killed counts as one that fails.
    cache = project.build / "CMakeCache.txt"
    cache.write_text(re.sub("(?m)^HAS_ERRNO:INTERNAL=1$", "HAS_ERRNO:INTERNAL=", cache.read_text()))
    project.change()
    project.show("killed while it was configured")

    project.change()
    mount("-t", "tmpfs", "-o", "size=16m", "full", project.build)
    project.show("in a small disk")
    project.change()
    filler = project.build / "filler"
    with open(filler, "wb") as file:
        try:
            while True:
                file.write(bytes(65536))
        except OSError:
            pass
    process = project.start()
    output = process.communicate()[0]
    project.compiled()
    print("on a full disk: exit", process.returncode)
    print("\n".join(line for line in output.replace(str(project.top), "TOP").splitlines() if ": the disk is full" in line))
    filler.unlink()
    project.show("with room")

    project.gate()
    project.change()
    first = project.start()
    project.reached()
    second = project.start()
    print("two at once:", second.stdout.readline().replace(str(project.top), "TOP").strip())
    project.open_gate()
    first.communicate()
    second.communicate()
    print("exit", first.returncode, "and", second.returncode, "compiled:", ", ".join(sorted(project.compiled())))
    subprocess.run(("umount", project.build), check=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    machine = Machine(folder)
    text = HEADER.read_text()
    project = Project(folder / "small")
    project.show("the first build")
    project.show("nothing to do")
    machine.upgrade(PACKAGE, text + "/* one */\n")
    project.show("a header replaced")
    machine.upgrade(PACKAGE, text + "/* longer */\n")
    project.show("a header replaced, ninja alone", "ninja", "-C", project.build)
    machine.upgrade("adduser")
    project.show("another package replaced")
    machine.upgrade(f"clang-{MAJOR}")
    project.choose_compiler("clang++-19")
    project.show("another compiler")
    recover(project, machine, text)

    project = LLDB(folder / "lldb")
    project.show("LLDB's first build")
    script = project.top / project.command
    script.write_text(script.read_text().replace("# The source package", "# A comment.\n# The source package"))
    project.set_patch("Say why, in other words", "patched")
    project.show("other words in comments and messages")
    project.set_patch("Say why", "patched again")
    project.show("another patch")
    machine.upgrade(PACKAGE, text + "/* four */\n")
    (project.build.parent / "key").unlink()
    project.show("a header replaced")
    machine.upgrade(f"clang-{MAJOR}")
    (project.build.parent / "key").unlink()
    project.show("another compiler")
    recover(project, machine, text)
    project = LLDB(folder / "with-ccache", ccache=True)
    project.show("through ccache")
    project.change()
    project.remove_ccache()
    project.show("without ccache since then")
    project = CcacheProject(folder / "small-with-ccache")
    project.show("Wavelane through ccache")
    project.change()
    project.remove_ccache()
    project.show("Wavelane without ccache since then")
