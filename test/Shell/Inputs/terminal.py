# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLDB in a terminal, like a user's."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios

ROWS, COLUMNS = 24, 160
# LLDB saves the cursor, writes the last row, and puts the cursor back.
DRAWN = re.compile(rb"\x1b7\x1b\[%d;1f(.*?)\x1b\[0m\x1b8" % ROWS, re.S)
ANSI = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]|\x1b[78]")


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
        """Waits for such a text in the status line, and returns it."""
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

    def ask(self, text, answer=b""):
        """Types it; the lines that follow, up to the prompt that comes after such an answer."""
        self.type(text)
        return self.lines(answer)

    def lines(self, answer):
        self.wait(b"(?s)" + answer + rb".*\(lldb\) ")
        text = ANSI.sub("", self.output.decode(errors="replace")).replace("\r", "")
        return [line.rstrip() for line in text.split("\n")]

    def interrupt(self, answer):
        """Ctrl-C, pressed until something comes; the lines that follow, up to the prompt after such an answer."""
        self.output = b""
        os.write(self.fd, b"\x03")
        # LLDB may not handle it yet when it reports that the program resumes. A second one ends LLDB while it handles the first.
        while not re.search(answer, self.output):
            if not select.select([self.fd], [], [], 10)[0]:
                os.write(self.fd, b"\x03")
            else:
                self.read()
        return self.lines(answer)

    def settle(self):
        """Returns when LLDB reads the keyboard for commands: a program that has ended may still take a key."""
        self.type("version")
        while not re.search(rb"lldb version(?s:.*)\(lldb\) ", self.output):
            if re.search(rb"is not a valid command(?s:.*)\(lldb\) ", self.output) or not select.select([self.fd], [], [], 10)[0]:
                self.type("version")
            else:
                self.read()

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
