# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLDB in a terminal: what its status line shows of a stopped wave."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios

ROWS, COLUMNS = 24, 160
# LLDB saves the cursor, writes the last row, and puts the cursor back.
DRAWN = re.compile(rb"\x1b7\x1b\[%d;1f(.*?)\x1b\[0m\x1b8" % ROWS, re.S)
STOPPED = rb"Process \d+ stopped"
ANSI = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]")


class Terminal:
    def __init__(self, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.output = b""

    def read(self):
        if not select.select([self.fd], [], [], 120)[0]:
            raise SystemExit(f"nothing more comes; the end: {self.output[-2000:]!r}")
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        if not got:
            raise SystemExit(f"lldb has ended: {self.output[-2000:]!r}")
        self.output += got

    def status(self):
        drawn = DRAWN.findall(self.output)
        return ANSI.sub("", drawn[-1].decode()).rstrip() if drawn else ""

    def wait(self, pattern):
        while not re.search(pattern, self.output):
            self.read()

    def type(self, text):
        self.output = b""
        os.write(self.fd, text.encode() + b"\n")

    def until(self, pattern):
        """The status line, once it has such a text."""
        while not re.search(pattern, self.status()):
            self.read()
        return self.status()

    def command(self, text, pattern, answer=b""):
        """Types it; once the prompt is back after such an answer, the status line has such a text.

        While the program runs, what is typed goes to the program: a command that resumes it names the answer that follows.
        """
        self.type(text)
        self.wait(b"(?s)" + answer + rb".*\(lldb\) ")
        print(f"{text}: {self.until(pattern)}")


program, gpu = sys.argv[1], sys.argv[2]
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
terminal = Terminal(f"{os.environ['WAVELANE_BUILD']}/bin/lldb", "--no-lldbinit", "-O", f"settings set target.env-vars WAVELANE_PROCESSOR={gpu}", program)
terminal.until("saxpy-gpus")
terminal.command("breakpoint set -f saxpy.hip -l 12", r"^saxpy-gpus-O0$")
# The host stops for its GPU, later.
terminal.command("run", "breakpoint 1.1$", rb"Target 0: \(saxpy-gpus-O0\) stopped")
terminal.command("thread lane info", "breakpoint 1.1$")
terminal.command("thread lane select 17", "lane 17")
terminal.command("thread lane name producer", "'producer'")
terminal.command("next", "step over", STOPPED)
terminal.command("thread select 3", r"/2, ")
terminal.command("thread lane select --where --all-waves 'i == 777'", "lane 9")
terminal.command("thread lane select 4711", "lane 9")
terminal.command("breakpoint delete -f", "lane 9")
terminal.type("continue")
terminal.wait(rb"(?s)exited with status = 0.*\(lldb\)")
print("ended:", terminal.until(r"^saxpy-gpus-O0$"))
terminal.command("settings set statusline-format '${target.arch} alone'", "x86_64 alone")
