# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debugs programs on another host. Runs in a namespace of its own."""
import atexit
import ctypes
import os
import socket
import subprocess
import sys
import threading

import wavelane
from far import HERE, PORT, THERE, Far, wait

build, programs, folder = sys.argv[1:4]
libc = ctypes.CDLL(None, use_errno=True)


def forward(port, far):
    """Like `ssh -L port:localhost:port`: forwards a port here to the other host's loopback."""
    listener = socket.create_server(("127.0.0.1", port))
    namespace = os.open(f"/proc/{far.holder.pid}/ns/net", os.O_RDONLY)

    def copy(source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        try:
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve():
        assert libc.setns(namespace, 0) == 0  # This thread alone.
        while True:
            near = listener.accept()[0]
            try:
                there = socket.create_connection(("127.0.0.1", port))
            except OSError:
                near.close()
                continue
            for pair in ((near, there), (there, near)):
                threading.Thread(target=copy, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def look(session):
    """Prints the state at the kernel's stop, and at the end."""
    wave = session.selected
    print("  at", wave.name, wave.line.split(":")[0], "of", len(session.gpu.waves), "waves:", wave.lanes[17].value("i"),
          wave.lanes[17].value("t"), "process ids",
          "alike" if session.gpu.process.GetProcessID() == session.host.GetProcess().GetProcessID() else "that differ")
    session.command("breakpoint delete -f")
    wave.lanes[21].assign("t", 0)
    session.command("continue")
    print("  end:", session.exit_status, session.output.split("\n")[0])


far = Far(folder)
atexit.register(far.end)

# lldb-server in platform mode: it starts a server for each program.
platform = far.start(f"{build}/bin/lldb-server", "platform", "--server", "--listen", f"{HERE}:{PORT}",
                     "--gdbserver-port", str(PORT + 10))
wait(lambda: far.listens(PORT), "platform")
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    session.command("platform select remote-linux")
    session.command(f"platform connect connect://{THERE}:{PORT}")
    session.command("breakpoint set -f saxpy.hip -p 'y.i. .= t'")
    session.command("run")
    print("platform:")
    # Neither the GPU's socket nor the program's server accepts connections now.
    print("  who listens there:", sorted(port for _, port in far.listening()))
    print("  the GPU's connection:", *{address for address, _ in far.sockets("01")})
    look(session)

    # A program that is already running there.
    program = far.start(f"{build}/bin/wavelane-run", f"{programs}/attach", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdout.readline() == b"started\n"
    session.command(f"target create {programs}/attach")
    session.command("breakpoint set -f attach.hip -p spinning")
    session.command(f"process attach -p {program.pid}")
    program.stdin.write(b"\n")
    program.stdin.flush()
    session.command("continue")
    print("attach:", session.selected.name, session.selected.lanes[9].value("i"))
    session.command("breakpoint delete -f")
    session.command("process detach")
    out = program.communicate(b"\n", 60)[0].decode().split("\n")
    print("  end:", program.returncode, out[:2])
platform.kill()
platform.wait()

# lldb-server for one program.
server = far.start(f"{build}/bin/lldb-server", "gdbserver", f"{HERE}:{PORT + 1}", "--", f"{programs}/saxpy-O0")
wait(lambda: far.listens(PORT + 1), "server")
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    session.command("breakpoint set -f saxpy.hip -p 'y.i. .= t'")
    session.command(f"gdb-remote {THERE}:{PORT + 1}")
    session.command("continue")
    print("gdb-remote:")
    look(session)
server.wait(60)

# Servers that get the name of another client, which LLDB's own lets in.
for name, arguments in (("gdbserver", ("gdbserver", f"10.77.0.77:{PORT + 5}", "--", f"{programs}/saxpy-O0")),
                        ("platform", ("platform", "--server", "--listen", f"10.77.0.77:{PORT + 6}", "--gdbserver-port", str(PORT + 7)))):
    server = far.start(f"{build}/bin/lldb-server", *arguments)
    ports = [PORT + 5] if name == "gdbserver" else [PORT + 6, PORT + 7]
    for port in ports:
        wait(lambda port=port: far.listens(port), "server")
    print(f"{name} for another client:")
    for port in ports:
        with socket.create_connection((THERE, port), 60) as peer:
            try:
                peer.sendall(b"$qHostInfo#9b")
                answer = peer.recv(100)
            except ConnectionResetError:
                answer = b""
        print("  it says", answer)
    server.kill()
    server.wait()

# The same over forwarded ports: the server's own, and the one configured for the GPU's connection.
server = far.start(f"{build}/bin/lldb-server", "gdbserver", f"127.0.0.1:{PORT + 2}", "--", f"{programs}/saxpy-O0",
                   environment={"WAVELANE_GPU_PORT": f"{PORT + 3}-{PORT + 4}"})
wait(lambda: far.listens(PORT + 2), "server")
for port in (PORT + 2, PORT + 3):
    forward(port, far)
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    session.command("breakpoint set -f saxpy.hip -p 'y.i. .= t'")
    session.command(f"gdb-remote 127.0.0.1:{PORT + 2}")
    session.command("continue")
    print("forwarded:")
    print("  GPU at", sorted(pair for pair in far.sockets("01") if pair[1] == PORT + 3))
    look(session)
server.wait(60)

# When a server goes away, the session remains.
server = far.start(f"{build}/bin/lldb-server", "gdbserver", f"{HERE}:{PORT + 5}", "--", f"{programs}/saxpy-O0")
wait(lambda: far.listens(PORT + 5), "server")
with wavelane.Session(f"{programs}/saxpy-O0") as session:
    session.command("breakpoint set -f saxpy.hip -p 'y.i. .= t'")
    session.command(f"gdb-remote {THERE}:{PORT + 5}")
    session.command("continue")
    server.kill()
    server.wait()
    try:
        session.command("continue")
    except wavelane.Error:
        pass  # Which of its two connections is found broken first is a matter of chance.
    try:
        print("gone:", session.gpu)
    except wavelane.Error as error:
        print("gone:", error)
    session.command("platform select host")
    session.command("run")
    print("again:", session.selected.name, session.selected.lanes[17].value("i"))
