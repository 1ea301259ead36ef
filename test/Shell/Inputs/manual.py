# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types each example of the manual's pages in the tutorial's folder, and ends each program with each exit status that its page has.

Usage: manual.py BUILD"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
wrong = []

# What each exit status of a page is seen at, by the page's entry; {lone} is a folder with nothing but wavelane, {bare} one whose programs
# can't be started. The pages of programs that other commands run as well are checked with each of them.
RUN = {
    "the program's": [("wavelane COMMAND sh -c 'exit 5'", 5)],
    "128 + S": [("wavelane COMMAND sh -c 'kill -9 $$'", 137)],
    "2": [("wavelane COMMAND --nonsense ./saxpy", 2), ("wavelane COMMAND", 2)],
    "126, 127": [("wavelane COMMAND ./saxpy.hip", 126), ("wavelane COMMAND --record /nowhere/f ./saxpy", 126), ("wavelane COMMAND ./nothing", 127)],
}
LLDB = {
    "0": [("PROGRAM ./saxpy", 0), ("PROGRAM --batch -o 'script 1'", 0)],
    "1": [("PROGRAM --batch -o nonsense", 1)],
    "N": [("PROGRAM -o 'quit 7'", 7)],
    "126, 127": [("{bare}/PROGRAM ./saxpy", 126), ("{lone}/PROGRAM ./saxpy", 127), ("PYTHONHOME=/nowhere PROGRAM", 127)],
}


def of(cases, word, name, **more):
    return {**{entry: [(command.replace(word, name), code) for command, code in found] for entry, found in cases.items()}, **more}


STATUS = {
    "wavelane": {
        "0": [("wavelane", 0), ("wavelane help", 0)],
        "1": [("wavelane tutorial /proc/none", 1)],
        "2": [("wavelane dokter", 2)],
        "126, 127": [("{bare}/wavelane run ./saxpy", 126), ("{lone}/wavelane run ./saxpy", 127)],
    },
    "wavelane-run": of(RUN, "COMMAND", "run", N=[("wavelane run --check race --error-exitcode 3 ./sum", 3)]),
    "wavelane-check": of(RUN, "COMMAND", "check", N=[("wavelane check --error-exitcode 3 ./sum", 3)]),
    "wavelane-count": of(RUN, "COMMAND", "count", N=[("wavelane count --check race --error-exitcode 3 ./sum", 3)]),
    "wavelane-debug": {**of(LLDB, "PROGRAM", "wavelane debug"), "1": [("wavelane debug --batch -o nonsense", 1), ("wavelane debug ./nothing", 1)], "2": [("wavelane debug --nonsense ./saxpy", 2)]},
    "wavelane-lldb": of(LLDB, "PROGRAM", "wavelane-lldb"),
    "wavelane-dwarf": {"0": [("wavelane dwarf --version", 0)], "1": [("wavelane dwarf assemble nonsense", 1)], "2": [("wavelane dwarf --nonsense", 2)]},
    "wavelane-compile": {
        "the compiler's": [("wavelane compile saxpy.hip -o compiled", 0), ("wavelane compile saxpy.hip --nonsense -o compiled", 1)],
        "1": [("wavelane compile none.hip", 1), ("own=$(command -v wavelane); PATH=/nowhere $own compile saxpy.hip", 1)],
        "2": [("wavelane compile", 2)],
    },
    "wavelane-doctor": {"0": [("wavelane doctor", 0)], "1": [("TMPDIR=/nowhere wavelane doctor", 1)], "2": [("wavelane doctor --nonsense", 2)]},
    "wavelane-report": {
        "0": [("wavelane report -o page.html --break saxpy.hip:13 ./saxpy", 0)],
        "1": [("wavelane report ./nothing", 1), ("wavelane report -o none.html ./saxpy", 1)],
        "2": [("wavelane report", 2)],
    },
    "wavelane-tutorial": {"0": [("wavelane tutorial again", 0)], "1": [("wavelane tutorial /proc/none", 1), ("wavelane tutorial again nonsense", 1)], "2": [("wavelane tutorial", 2)]},
    "wavelane-why-not": {
        "0": [("wavelane why-not saxpy.hip:13 ./saxpy", 0)],
        "1": [("wavelane why-not saxpy.hip:13 ./nothing", 1)], "2": [("wavelane why-not saxpy.hip ./saxpy", 2)],
    },
    "wavelane-help": {
        "0": [("wavelane help", 0), ("wavelane help run", 0)],
        "1": [("wavelane help --man /proc/none", 1), ("{lone}/wavelane help --web", 1)],
        "2": [("wavelane help nonsense", 2), ("wavelane help --completion csh", 2)],
    },
    "wavelane-rank": {
        "the program's": [("wavelane-rank --ranks-of $$", 1)],
        "1": [("RANK=0 WAVELANE_JOB=nonsense WAVELANE_JOB_SECRET=x wavelane-rank ./saxpy", 1)],
        "2": [("wavelane-rank --nonsense", 2), ("wavelane-rank ./saxpy", 2), ("RANK=0 wavelane-rank ./saxpy", 2)],
        "126, 127": [("RANK=0 WAVELANE_JOB=x WAVELANE_JOB_SECRET=x wavelane-rank ./saxpy.hip", 126),
                     ("RANK=0 WAVELANE_JOB=x WAVELANE_JOB_SECRET=x wavelane-rank ./nothing", 127)],
    },
    "wavelane-annotate-lanes": {
        "the compiler's": [("wavelane-annotate-lanes clang-19 -O1 -c widened.c -o widened.o", 0), ("wavelane-annotate-lanes clang-19 -c nothing.c", 1)],
        "1": [("wavelane-annotate-lanes none.s -o lanes.s", 1)],
        "2": [("wavelane-annotate-lanes --nonsense", 2)],
        "127": [("PATH={lone} wavelane-annotate-lanes", 127)],
    },
    "wavelane-lldb-dap": {
        "0": [("wavelane-lldb-dap", 0)],
        "1": [("wavelane-lldb-dap --connection nonsense", 1), ("wavelane-lldb-dap --connection listen://nowhere.invalid:1", 1)],
        "126, 127": [("{bare}/wavelane-lldb-dap", 126), ("{lone}/wavelane-lldb-dap", 127)],
    },
    "wavelane-lldb-server": {
        "1": [("wavelane-lldb-server gdbserver --nonsense", 1), ("wavelane-lldb-server platform --nonsense", 1),
              ("wavelane-lldb-server gdbserver localhost:0 -- ./nothing", 1)],
        "255": [("wavelane-lldb-server gdbserver nowhere.invalid:1 -- ./saxpy", 255), ("wavelane-lldb-server platform --server --listen nowhere.invalid:1", 255)],
        "75": [("WAVELANE_SERVER_MEMORY_LIMIT=1 wavelane-lldb-server gdbserver localhost:0 -- ./saxpy", 75)],
        "126, 127": [("{bare}/wavelane-lldb-server", 126), ("{lone}/wavelane-lldb-server", 127)],
    },
    "wavelane-lldb-mcp": {
        "1": [("mkdir -p broken/.lldb && echo nonsense > broken/.lldb/lldb-mcp-1.json && HOME=$PWD/broken wavelane-lldb-mcp", 1)],
        "2": [("wavelane-lldb-mcp nonsense", 2)],
        "126, 127": [("{bare}/wavelane-lldb-mcp", 126), ("{lone}/wavelane-lldb-mcp", 127)],
    },
}


def expect(name, condition, text):
    if not condition:
        wrong.append(f"{name}: {text[:1500]}")


class Folder:
    """The tutorial's programs, and what examples name beside them."""

    def __init__(self, top):
        self.top, self.work = top, top / "work"
        self.environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}", "HOME": str(top), "BROWSER": "true"}
        for name in "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "PMIX_RANK", "RANK", "WAVELANE_JOB":
            self.environment.pop(name, None)
        for kind in "lone", "bare":
            (top / kind / "bin").mkdir(parents=True)
            shutil.copy(build / "bin" / "wavelane", top / kind / "bin")
            for name in "lldb", "lldb-dap", "lldb-server", "lldb-mcp", "annotate-lanes":
                (top / kind / "bin" / f"wavelane-{name}").symlink_to("wavelane")
        for name in "wavelane-run", "lldb", "lldb-dap", "lldb-server", "lldb-mcp":
            (top / "bare" / "bin" / name).touch()
        self.run(f"wavelane tutorial {self.work}", cwd=top)
        for name in "tests", "app":
            shutil.copy(self.work / "saxpy", self.work / name)
        self.run("clang-19 -g -O3 -mavx2 -S widened.c -o loop.s && cp widened.c loop.c")

    def run(self, command, cwd=None):
        done = subprocess.run(["bash", "-c", command.format(lone=self.top / "lone/bin", bare=self.top / "bare/bin")], cwd=cwd or self.work, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment, timeout=120)
        # As a shell says it.
        return done.returncode if done.returncode >= 0 else 128 - done.returncode, done.stdout

    def example(self, command):
        """An example that needs nothing but the folder."""
        code, text = self.run(command.replace("{", "{{").replace("}", "}}"))
        expect(command, code == 0, f"exit {code}: {text}")
        return text


def attach(folder, command):
    """A program that hangs."""
    program = subprocess.Popen(["wavelane", "run", "./stuck"], cwd=folder.work, env=folder.environment, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # wavelane becomes the program.
        while pathlib.Path(f"/proc/{program.pid}/comm").read_text() != "stuck\n":
            pass
        text = folder.example(command.replace("4711", str(program.pid)) + " --batch")
        expect(command, f"Process {program.pid} stopped" in text, text)
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def core(folder, command):
    if not (folder.work / "core.4711").exists():
        folder.example("wavelane debug --batch -o 'breakpoint set -f saxpy.hip -l 13' -o run -o 'process save-core core.4711' -o kill -- ./saxpy")
    text = folder.example(command + (" --batch -o 'thread lane info'" if "debug" in command else ""))
    expect(command, re.search("saxpy.hip:13|wrote wavelane.html", text), text)


def free_ports(count):
    """Ports that lldb-server takes, which wants none of the highest."""
    found = []
    for port in range(20000, 49152):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found


def listening(folder, command, client):
    """A server in an example, and LLDB as its client."""
    port, second = free_ports(2)
    command = re.sub(r"CLIENT|localhost", "127.0.0.1", command.replace("4000", str(port)).replace("4711", str(port)).replace("4010", str(second)))
    server = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=folder.work, env=folder.environment, start_new_session=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            if server.poll() is not None:
                return expect(command, False, f"it has ended with {server.returncode}")
            table = "".join(pathlib.Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6"))
            if re.search(rf":{port:04X} \S+ 0A ", table):
                break
        client(folder, port)
    finally:
        try:
            os.killpg(server.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        server.wait()


def platform(folder, port):
    text = folder.example(f"wavelane debug --batch -o 'platform select remote-linux' -o 'platform connect connect://127.0.0.1:{port}' -o 'platform status'")
    expect("platform connect", "Connected: yes" in text, text)


def gdb_remote(folder, port):
    text = folder.example(f"wavelane debug --batch -o 'target create ./saxpy' -o 'gdb-remote 127.0.0.1:{port}' -o 'breakpoint set -f saxpy.hip -l 13' -o continue -o 'thread lane info' -o kill")
    expect("gdb-remote", "saxpy.hip:13" in text and "lane 0 of 64" in text, text)


def adapter(folder, port):
    request = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"lldb-dap"}}'
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(request), request))
        answer = client.recv(65536).decode(errors="replace")
    expect("the adapter", '"success":true' in answer, answer)


def mcp(folder, command):
    """A session that serves, and a client that asks for its tools."""
    debugger = subprocess.Popen(["wavelane", "debug"], cwd=folder.work, env=folder.environment, text=True, start_new_session=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        debugger.stdin.write("protocol-server start MCP listen://localhost:0\n")
        debugger.stdin.flush()
        while "MCP server started" not in debugger.stdout.readline():
            expect(command, debugger.poll() is None, "the session has ended")
        question = ('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},'
                    '"clientInfo":{"name":"test","version":"1"}}}')
        with subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=folder.work, env=folder.environment, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
            client.stdin.write(question + "\n")
            client.stdin.flush()
            answer = client.stdout.readline()
            client.stdin.close()
        expect(command, client.returncode == 0 and '"serverInfo"' in answer, f"exit {client.returncode}: {answer}")
    finally:
        os.killpg(debugger.pid, signal.SIGKILL)
        debugger.wait()


def pages(folder, command):
    """The pages are there if mkdocs has made them."""
    code, text = folder.run(command)
    there = (build / "site" / "index.html").exists()
    expect(command, (code == 0) == there and ("site/index.html" if there else "the pages aren't there") in text, f"exit {code}: {text}")


def job(folder, command):
    """Ranks under a debugger that waits for them."""
    if not shutil.which("mpirun") or (build / "test" / "programs" / "ring-openmpi").exists() is False:
        return
    shutil.copy(build / "test" / "programs" / "ring-openmpi", folder.work / "app")
    debugger = subprocess.Popen(["wavelane", "debug", "-o", "job listen"], cwd=folder.work, env=folder.environment, text=True, start_new_session=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    variables = {}
    try:
        while len(variables) < 2:
            line = debugger.stdout.readline()
            if not line:
                return expect(command, False, f"'job listen' printed {variables} only")
            variables.update(re.findall(r"(WAVELANE_JOB\w*)='?([^\s']+)", line))
        ranks = subprocess.Popen(["bash", "-c", f"exec {command.replace('-n 8', '-n 2')}"], cwd=folder.work, text=True, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                 env={**folder.environment, **variables, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                      "OMPI_MCA_rmaps_base_oversubscribe": "1"})
        debugger.stdin.write("job wait\ncontinue\nquit\n")
        debugger.stdin.flush()
        text = ranks.communicate(timeout=100)[0]
        expect(command, ranks.returncode == 0, f"exit {ranks.returncode}: {text}")
    finally:
        os.killpg(debugger.pid, signal.SIGKILL)
        debugger.wait()


# The examples that need more than the folder; all others are typed as they are.
SPECIAL = {
    "wavelane debug -p 4711": attach,
    "wavelane debug -c core.4711": core,
    "wavelane report core.*": core,
    "mpirun -n 8 wavelane-rank ./app": job,
    "wavelane-rank --ranks-of 4711": lambda folder, command: expect(command, "error" in folder.run(command.replace("4711", "$$"))[1], command),
    "wavelane-lldb-mcp": mcp,
    "wavelane help --web": pages,
    "wavelane-lldb-dap --connection listen://localhost:4711": lambda folder, command: listening(folder, command, adapter),
    "wavelane-lldb-server platform --server --listen CLIENT:4000 --gdbserver-port 4010": lambda folder, command: listening(folder, command, platform),
    "wavelane-lldb-server gdbserver CLIENT:4000 -- ./saxpy": lambda folder, command: listening(folder, command, gdb_remote),
}
# What their lines say that they print.
PRINTS = {
    "wavelane dwarf disassemble '91 2c'": "DW_OP_fbreg 44",
    "wavelane dwarf assemble 'DW_OP_lit3; DW_OP_lit4; DW_OP_plus'": "333422",
    "wavelane why-not saxpy.hip:14 ./saxpy": r"has no code(.|\n)*13(.|\n)*15",
    "wavelane run --explain ./saxpy": "runtime: wavelane",
    "wavelane check ./saxpy": "0 findings",
}


def plain(text):
    return re.sub(r"\\f[BR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")


def entries(page, title):
    """The names of a section's entries."""
    return [plain(name) for name in re.findall(r"(?m)^\.TP\n(.*)$", page.partition(f".SH {title}\n")[2].partition("\n.SH ")[0])]


def main():
    examples = statuses = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(pathlib.Path(name))
        folder.example(f"wavelane help --man {name}/man")
        for file in sorted(pathlib.Path(name, "man").iterdir()):
            page = file.read_text()
            for command in entries(page, "EXAMPLES"):
                examples += 1
                if command in SPECIAL:
                    SPECIAL[command](folder, command)
                else:
                    text = folder.example(command)
                    expect(command, re.search(PRINTS.get(command, ""), text), text)
            known = STATUS[file.stem]
            for entry in entries(page, "EXIT STATUS"):
                # What has no case ends well in an example.
                for command, code in known.get(entry, []):
                    statuses += 1
                    got, text = folder.run(command)
                    expect(f"{file.stem}: {command}", got == code, f"exit {got}, not {code}: {text}")
                expect(f"{file.stem}: exit status {entry}", entry in known or entry == "0", "nothing ends with it")
            expect(file.stem, set(known) <= set(entries(page, "EXIT STATUS")), f"it has no entry for one of {sorted(known)}")
    print(f"{examples} examples, {statuses} exit statuses, {len(wrong)} wrong")
    for text in wrong:
        print(text)


main()
