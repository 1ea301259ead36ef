# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As another user (nobody), tries everything of a session of root's: sockets, memory, files, names, and what it would run by itself.

other_users.py BUILD PROGRAMS"""
import glob
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import lldb

NOBODY = 65534
SERVER = 100  # seconds; on a busy machine, a server takes a while
build, programs = sys.argv[1:]
program = programs + "/faults-O0"
signal.alarm(500)
SHARED = set(glob.glob("/dev/shm/*"))
sys.stdout.reconfigure(line_buffering=True)


def as_nobody(action):
    """What an action in a process of nobody's prints."""
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.dup2(write, 1)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            action()
            sys.stdout.flush()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text.strip()


def parents():
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                found[int(pid)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    return found


def family():
    """This process, which is LLDB, and those below it; the device, whose parent has ended, is known by its socket."""
    of, mine = parents(), {os.getpid()}
    for _ in range(4):
        mine |= {pid for pid, parent in of.items() if parent in mine}
    for pid in of:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"wavelane-gpu") and any(str(known).encode() in words for known in mine):
            mine.add(pid)
    return sorted(mine)


def listeners(pids):
    """Addresses of the sockets at which they listen: paths, \0names, or (host, port)."""
    inodes = set()
    for pid in pids:
        for link in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                match = re.match(r"socket:\[(\d+)\]", os.readlink(link))
            except OSError:
                continue
            if match:
                inodes.add(match.group(1))
    found = []
    with open("/proc/net/unix") as table:
        for line in table.readlines()[1:]:
            fields = line.split(None, 7)
            if fields[6] in inodes and int(fields[3], 16) & 0x10000 and len(fields) > 7:
                path = fields[7].rstrip("\n")
                found.append("\0" + path[1:] if path[0] == "@" else path)
    for name in "tcp", "tcp6":
        with open(f"/proc/net/{name}") as table:
            for line in table.readlines()[1:]:
                fields = line.split()
                if fields[9] in inodes and fields[3] == "0A":
                    found.append((fields[1].split(":")[0], int(fields[1].split(":")[1], 16)))
    return found


def connects(address, patience=10):
    """Whether a listener says anything useful to another user. One that says nothing refuses; a server that answers or closes the connection gets more time."""
    kind = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(kind) as peer:
        peer.settimeout(patience)
        try:
            peer.connect(address if isinstance(address, str) else ("127.0.0.1", address[1]))
            peer.sendall(b"$qHostInfo#9b\n")
            got = peer.recv(200)
        except OSError:
            return "refused"
    return "refused" if not got or b"another user" in got else f"says {got!r}"


def tries(pids, files, addresses):
    """All that nobody tries; each line is a kind with how many of it were refused."""
    def count(name, actions):
        refused, open_ = 0, []
        for what, action in actions:
            try:
                action()
                open_.append(what)
            except OSError:
                refused += 1
        print(f"{name}: " + (f"open: {open_}" if open_ else "all refused" if refused else "there is none"))

    addresses = [(a, connects(a)) for a in addresses]
    print("sockets:", [a for a in addresses if a[1] != "refused"] or ("all refused" if addresses else "there is none"))
    count("files", [(path, lambda path=path: open(path, "rb")) for path in files])
    count("files' folders", [(path, lambda path=path: os.open(os.path.dirname(path) + "/x", os.O_CREAT | os.O_WRONLY)) for path in files])
    count("memory", [(pid, lambda pid=pid: open(f"/proc/{pid}/mem", "rb")) for pid in pids])
    count("descriptors", [(pid, lambda pid=pid: os.listdir(f"/proc/{pid}/fd")) for pid in pids])
    count("environment", [(pid, lambda pid=pid: open(f"/proc/{pid}/environ", "rb").read(1)) for pid in pids])
    count("signals", [(pid, lambda pid=pid: os.kill(pid, 0)) for pid in pids])
    count("shared memory", [(name, lambda name=name: open(name, "rb")) for name in glob.glob("/dev/shm/*") if name not in SHARED])


class Session:
    def __init__(self):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)

    def command(self, text):
        answer = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(text, answer)
        return (answer.GetOutput() or "") + (answer.GetError() or "")


def a_session(folder):
    print("== a session")
    session = Session()
    session.debugger.CreateTarget(program)
    session.command("breakpoint set -n endless")
    session.command("run endless")
    print("stopped:", "endless" in session.command("thread backtrace"))
    listening = session.command("job listen")
    secret = re.search(r"WAVELANE_JOB_SECRET=(\w+)", listening)
    print("job:", "listens" if secret else listening)
    session.command(f"process save-core {folder}/core")
    pids = family()
    names = {os.readlink(f"/proc/{pid}/exe").rsplit("/", 1)[-1] for pid in pids}
    print("processes:", sorted(n for n in names if n in ("lldb-server", "wavelane-gpu", "faults-O0")))
    # Other sessions make and remove files there, too.
    runtime = [os.path.join(at, name) for top in glob.glob("/tmp/wavelane-*") + [f"{os.environ.get('XDG_RUNTIME_DIR', '/nowhere')}/wavelane"]
               for at, _, files in os.walk(top) for name in files if set(re.findall(r"\d+", name)) & set(map(str, pids))]
    print("core:", oct(stat.S_IMODE(os.stat(f"{folder}/core").st_mode)))
    addresses = listeners(pids)
    print(as_nobody(lambda: tries(pids, runtime + [f"{folder}/core"], addresses)))
    # It hasn't been disturbed.
    print("goes on:", "endless" in session.command("thread backtrace"))
    session.command("target select 0")
    session.command("process kill")


def remote_servers(folder):
    """Servers at a port of this machine, which any user could connect to."""
    print("== remote servers")

    def serve():
        read, write = os.pipe()
        server = subprocess.Popen([f"{build}/bin/lldb-server", "gdbserver", "--pipe", str(write), "127.0.0.1:0", "--", program], pass_fds=(write,),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            return server, ("127.0.0.1", int(pipe.read().rstrip(b"\0")))

    server, address = serve()
    print("another's:", as_nobody(lambda: print(connects(address, SERVER))))
    print("reported:", server.communicate(timeout=60)[1].split("\n")[0])
    server, address = serve()
    with socket.create_connection(address, timeout=60) as peer:
        peer.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"$qHostInfo#9b" * 3)
        # The end of what it sends, so that a server that stays silent is seen to.
        peer.shutdown(socket.SHUT_WR)
        try:
            got = peer.recv(200)
        except ConnectionResetError:  # It closed the connection with what it hadn't read.
            got = b""
        print("a web page:", got or "no answer")
    server.kill()
    server.communicate()
    server, address = serve()
    print("own:", connects(address, SERVER)[:20])
    server.kill()
    server.communicate()

    names = [os.path.join(folder, name) for name in ("port", "errors")]
    free = socket.create_server(("127.0.0.1", 0))
    other_port = free.getsockname()[1]
    free.close()
    with open(names[1], "w") as errors:
        platform = subprocess.Popen([f"{build}/bin/lldb-server", "platform", "--server", "--listen", "127.0.0.1:0", "--gdbserver-port", str(other_port),
                                     "--socket-file", names[0]], stdout=subprocess.DEVNULL, stderr=errors)
    # The port is in the file when the server listens at both.
    while len(listeners([platform.pid])) < 2:
        time.sleep(0.05)
    with open(names[0]) as file:
        port = int(file.read())
    for name, where in (("platform", port), ("its programs' server", other_port)):
        print(f"{name}, another's:", as_nobody(lambda where=where: print(connects(("127.0.0.1", where), SERVER))))
        print(f"{name}, own:", connects(("127.0.0.1", where), SERVER)[:20])
    platform.kill()
    platform.wait()


def answers(port, text):
    """Whether a server answers a client's first message."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as peer:
        try:
            peer.sendall(text.encode())
            return "answers" if peer.recv(1) else "refused"
        except OSError:
            return "refused"


def servers_of_tools():
    """Servers for editors and agents, who can run programs with them: other users, and web pages, which browsers of this user let connect."""
    def page(port, text):
        return f"POST / HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n{text}"

    def tried(port, message, body):
        print("  another's:", as_nobody(lambda: print(answers(port, message))))
        print("  a web page:", answers(port, page(port, body)))
        print("  own:", answers(port, message))

    print("== servers for editors and agents")
    initialize = '{"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "lldb-dap"}}'
    adapter = subprocess.Popen([f"{build}/bin/lldb-dap", "--connection", "listen://127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)", adapter.stdout.readline().split("://", 1)[1])[1])
    print("lldb-dap")
    tried(port, f"Content-Length: {len(initialize)}\r\n\r\n{initialize}", initialize)
    adapter.kill()
    refusals = adapter.communicate()[1].splitlines()
    for line in refusals:
        print("  prints:", line)

    session = Session()
    home = os.environ["HOME"]
    with tempfile.TemporaryDirectory() as os.environ["HOME"]:
        port = int(re.search(r":(\d+)", session.command("protocol-server start MCP listen://127.0.0.1:0").split("://", 1)[1])[1])
        print("MCP")
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
        tried(port, message, message)
        session.command("protocol-server stop MCP")
    os.environ["HOME"] = home


def names_taken(folder):
    """A folder of another user at the name that a session would take."""
    print("== names that another user has taken")
    taken = os.path.join(folder, "taken")
    os.mkdir(taken)
    os.chown(taken, NOBODY, NOBODY)
    done = subprocess.run([f"{build}/bin/wavelane-run", programs + "/saxpy-O0"], env=dict(os.environ, WAVELANE_RUNTIME_DIR=taken), capture_output=True, text=True)
    print("folder:", done.returncode != 0 and re.search("not a private folder", done.stderr + done.stdout) is not None, os.listdir(taken))
    # A link that leads elsewhere.
    link = os.path.join(folder, "link")
    os.symlink(taken, link)
    done = subprocess.run([f"{build}/bin/wavelane-run", programs + "/saxpy-O0"], env=dict(os.environ, WAVELANE_RUNTIME_DIR=link), capture_output=True, text=True)
    print("link:", done.returncode != 0, os.listdir(taken))


def recording(folder):
    print("== a recording")
    path = os.path.join(folder, "run.rec")
    subprocess.run([f"{build}/bin/wavelane-run", "--runtime", "wavelane", "--record", path, programs + "/saxpy-O0"], check=True, capture_output=True)
    print("mode:", oct(stat.S_IMODE(os.stat(path).st_mode)))

    def read():
        try:
            print("read:", len(open(path, "rb").read()))
        except OSError as error:
            print("read:", error.strerror)

    print(as_nobody(read))


def run_by_themselves(folder):
    """What lies about in a folder that isn't the user's own."""
    print("== run by themselves")
    mark = os.path.join(folder, "it-ran")
    here = os.path.join(folder, "project")
    os.mkdir(here)
    command = f"platform shell touch {mark}\nscript open('{mark}', 'w')\n"
    for name in (".lldbinit", ".lldbinit-lldb", "lldbinit", ".lldbinit-lldb-dap", "saxpy.lldb", ".gdbinit"):
        with open(os.path.join(here, name), "w") as file:
            file.write(command)
    for name in ("wavelane.py", "lldb.py", "summaries.py", "saxpy.py", "sitecustomize.py"):
        with open(os.path.join(here, name), "w") as file:
            file.write(f"open('{mark}', 'w')\n")
    copy = os.path.join(here, "saxpy")
    with open(programs + "/saxpy-O0", "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    os.chmod(copy, 0o755)
    # Scripts that a program names, as gdb takes them, and summaries.
    scripts = os.path.join(here, "scripts")
    with open(scripts, "wb") as file:
        file.write(b"\x04gdb.inlined-script\nopen('" + mark.encode() + b"', 'w')\n\0")
    subprocess.run([os.path.join(os.environ["WAVELANE_LLVM"], "llvm-objcopy"), f"--add-section=.debug_gdb_scripts={scripts}", copy], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "LLDB_NO_DEBUGINIT"}
    recorded = os.path.join(here, "run.rec")
    subprocess.run([f"{build}/bin/wavelane-run", "--runtime", "wavelane", "--record", recorded, copy], check=True, capture_output=True, cwd=here)
    ways = {"a session": ["--batch", "-o", "breakpoint set -n saxpy", "-o", "run", "-o", "thread lane list", "-o", "frame variable", copy],
            "a recording": ["--batch", "-c", recorded, "-o", "gpu wave list", "-o", "reverse-continue"]}
    for name, words in ways.items():
        subprocess.run([f"{build}/bin/lldb", *words], cwd=here, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        print(f"{name}:", "something ran" if os.path.exists(mark) else "nothing ran")
    subprocess.run([f"{build}/bin/wavelane-run", "--check", "memory", copy], cwd=here, env=environment, capture_output=True, timeout=120)
    print("checks:", "something ran" if os.path.exists(mark) else "nothing ran")


def ranks_of(library, folder, **user):
    """What wavelane-rank, which root asks, says of the ranks of a launcher that has loaded a library."""
    program_ = f"{folder}/launcher"
    subprocess.run(["cc", "-o", program_, "-x", "c", "-"], check=True, text=True,
                   input=f'#include <dlfcn.h>\n#include <stdio.h>\n#include <unistd.h>\nint main() {{ dlopen("{library}", RTLD_NOW); puts("ready"); fflush(stdout); pause(); }}')
    with subprocess.Popen([program_], stdout=subprocess.PIPE, **user) as process:
        process.stdout.readline()
        # Any user can make such a file.
        pipe = f"/tmp/pmix.wavelane.tool.{process.pid}"
        os.mkfifo(pipe)
        os.chown(pipe, NOBODY, NOBODY)
        try:
            done = subprocess.run([f"{build}/bin/wavelane-rank", "--ranks-of", str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            return done.stdout.strip().replace(folder, "FOLDER").replace(str(process.pid), "N")
        except subprocess.TimeoutExpired:
            return "hangs"
        finally:
            process.kill()
            os.unlink(pipe)


def launchers(folder):
    """wavelane-rank loads no library that another user's launcher brings, nor reads what others put into /tmp."""
    mark, library = f"{folder}/loaded", f"{folder}/libpmix.so.2"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], check=True, text=True,
                   input=f'#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) {{ if (!getuid()) fopen("{mark}", "w"); }}')
    os.chown(library, NOBODY, NOBODY)
    said = ranks_of(library, folder, user=NOBODY, group=NOBODY, extra_groups=[])
    print("another's library:", "loaded" if os.path.exists(mark) else said)
    installed = sorted(glob.glob("/usr/lib/*/libpmix.so.2*") + glob.glob("/usr/lib/*/pmix2/lib/libpmix.so.2*"))
    print("another's file:", ranks_of(installed[0], folder) if installed else "PMIx is missing")


def programs_of_others(folder):
    """Root attaches to another user's program, and sees its GPU."""
    copy = shutil.copy(program, folder)
    environment = {"HOME": folder, "WAVELANE_RUNTIME_DIR": f"{folder}/run", "LD_LIBRARY_PATH": f"{build}/lib/wavelane"}
    os.mkdir(environment["WAVELANE_RUNTIME_DIR"], 0o700)
    os.chown(environment["WAVELANE_RUNTIME_DIR"], NOBODY, NOBODY)
    with subprocess.Popen([copy, "endless"], env=environment, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/") as process:
        # A device's socket appears without an event: 60 s at most.
        end = time.monotonic() + 60
        while process.poll() is None and not os.path.exists(f"{folder}/run/gpu-{process.pid}.sock") and time.monotonic() < end:
            time.sleep(0.1)
        done = subprocess.run([f"{build}/bin/lldb", "-X", "--batch", "-p", str(process.pid), "-o", "gpu wave list", "-o", "detach"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        waves = len(re.findall(r"^\d+ .*endless \(", done.stdout, re.M))
        process.kill()
    # A build that another user can't enter has no runtime for him.
    print("another's program:", f"{waves} waves" if waves or os.stat(build).st_mode & 1 else "the build is private")


def main():
    with tempfile.TemporaryDirectory() as folder:
        # So that only the files' own modes protect them.
        os.chmod(folder, 0o755)
        os.umask(0o022)
        a_session(folder)
        remote_servers(folder)
        servers_of_tools()
        names_taken(folder)
        recording(folder)
        run_by_themselves(folder)
    print("== launchers")
    # In a folder that another user can reach.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        launchers(folder)
        print("== programs")
        programs_of_others(folder)


main()
