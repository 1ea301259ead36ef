# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`wavelane tutorial`, run by LLDB's own Python, which every installation has.

Copies the tutorial's programs with their sources into a folder, and walks through a lesson there: what is typed, one command
after the other, with what it prints. In a terminal each command waits for Enter, and the session is the reader's at the end."""
import json
import os
import pathlib
import shlex
import subprocess
import textwrap
import time
import zipfile

import lldb

here = pathlib.Path(__file__).resolve().parent


class Wrong(Exception):
    """What can't be done, and why."""


class Ended(Exception):
    """The reader has typed q, or ended the input."""


def say(text=""):
    # Past LLDB, whose output comes in pieces: what a program prints stays in order.
    os.write(1, (text + "\n").encode())


def copy(folder):
    """The programs and sources; what is there already is the reader's."""
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time()
    with zipfile.ZipFile(here / "programs.zip") as archive:
        for entry in archive.infolist():
            target = folder / entry.filename
            if target.exists():
                continue
            target.write_bytes(archive.read(entry))
            # A source that is newer than its program isn't taken for what was compiled.
            written = min(now, time.mktime((*entry.date_time, 0, 0, -1)))
            os.utime(target, (written, written))
            if not target.suffix:
                target.chmod(0o755)


def list_lessons(lessons, folder):
    say(f"Five short programs and their sources are in {folder}. Each is a lesson:\n")
    for number, lesson in enumerate(lessons, 1):
        say(f"  {number}  {lesson['program']:6} {lesson['title']}")
    say(f"\nwavelane tutorial {shlex.quote(str(folder))} 1    walks through the first: each command waits for Enter")
    say("docs/tutorial.md, which 'wavelane help --web' shows too, has them all to read and type.")


class Session:
    """A debugger of its own, which reads one command after the other as LLDB's does."""

    def __init__(self):
        self.debugger = lldb.SBDebugger.Create(False)
        self.debugger.SetAsync(False)
        self.debugger.HandleCommand("settings set auto-confirm true")
        self.debugger.SetOutputFile(lldb.SBFile(os.dup(1), "w", True))
        self.debugger.SetErrorFile(lldb.SBFile(os.dup(1), "w", True))
        # The programs have code for a GPU that this machine's may not be.
        self.debugger.HandleCommand("settings set plugin.process.amdgpu.device simulated")

    def interpret(self, *, echo):
        options = lldb.SBCommandInterpreterRunOptions()
        options.SetEchoCommands(echo)
        options.SetStopOnError(False)
        options.SetStopOnCrash(False)
        self.debugger.RunCommandInterpreter(True, False, options, 0, False, False)

    def type(self, command):
        self.debugger.SetInputString(command + "\n")
        self.interpret(echo=False)

    def hand_over(self):
        """The reader types."""
        self.debugger.SetAsync(True)
        self.debugger.SetInputFile(lldb.SBFile(os.dup(0), "r", True))
        self.interpret(echo=True)

    def end(self):
        for index in range(self.debugger.GetNumTargets()):
            process = self.debugger.GetTargetAtIndex(index).GetProcess()
            if process.IsValid():
                process.Kill()
        lldb.SBDebugger.Destroy(self.debugger)


class Walk:
    def __init__(self):
        self.waits = os.isatty(0) and os.isatty(1)
        self.session = None

    def wait(self, shown):
        """Shows a command, and waits until the reader wants it."""
        if not self.waits:
            say(shown)
            return
        os.write(1, shown.encode())
        typed = b""
        while not typed.endswith(b"\n"):
            more = os.read(0, 1)
            if not more:
                raise Ended
            typed += more
        if typed.strip() in (b"q", b"quit"):
            raise Ended

    def end_session(self):
        if self.session:
            self.session.end()
        self.session = None

    def step(self, step):
        if "text" in step:
            say("\n" + textwrap.fill(step["text"], 100))
        if "shell" in step:
            self.end_session()
            self.wait(f"\n$ {step['shell']}")
            subprocess.run(step["shell"], shell=True, check=False)
        elif "debug" in step:
            self.end_session()
            self.wait(f"\n$ wavelane debug {step['debug']}")
            self.session = Session()
            self.session.type(f"target create {step['debug'].replace('-c ', '--core ')}")
        elif "lldb" in step:
            self.wait(f"(lldb) {step['lldb']}")
            self.session.type(step["lldb"])

    def lesson(self, lesson, number):
        say(f"Lesson {number}: {lesson['title']}" + (" (Enter runs the command that is shown, q ends)" if self.waits else ""))
        try:
            for step in lesson["steps"]:
                self.step(step)
            if self.waits and self.session:
                say("\nThe session is yours: try commands, and end it with 'quit'.")
                self.session.hand_over()
        except Ended:
            say()
        finally:
            self.end_session()


def run(folder, which):
    lessons = json.loads((here / "lessons.json").read_text())
    chosen = None
    if which:
        names = [lesson["program"] for lesson in lessons]
        if not (which.isdigit() and 1 <= int(which) <= len(lessons)) and which not in names:
            raise Wrong(f"there is no lesson '{which}': give a number from 1 to {len(lessons)}, or {', '.join(names[:-1])} or {names[-1]}")
        chosen = int(which) if which.isdigit() else names.index(which) + 1
    folder = pathlib.Path(folder).expanduser()
    try:
        copy(folder)
        os.chdir(folder)
    except OSError as error:
        raise Wrong(f"{error.filename or folder}: {error.strerror}") from error
    if chosen is None:
        return list_lessons(lessons, folder)
    Walk().lesson(lessons[chosen - 1], chosen)
    if chosen < len(lessons):
        say(f"\nNext: wavelane tutorial {shlex.quote(str(folder))} {chosen + 1}")


def command(debugger, text, result, _):
    """tutorial BIN FOLDER [LESSON], as an LLDB command."""
    own, folder, *which = shlex.split(text)
    # The lessons' commands are this installation's.
    os.environ["PATH"] = own + os.pathsep + os.environ.get("PATH", "/usr/bin:/bin")
    try:
        run(folder, which[0] if which else None)
    except Wrong as error:
        result.SetError(str(error))
    except BrokenPipeError:
        pass  # nobody reads any more


def __lldb_init_module(debugger, _):
    debugger.HandleCommand(f"command script add -f {__name__}.command tutorial")
