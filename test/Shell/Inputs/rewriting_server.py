#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands where LLDB expects its lldb-server (LLDB_DEBUGSERVER_PATH), with the real one, LLDB_SERVER, behind it: one of the registers that it reports has no name, one
no set, and one an offset of 2 GB. Both die when a request comes that begins with LLDB_SERVER_DIES_AT, or, on the GPU's connection, LLDB_SERVER_GPU_DIES_AT. The answers to requests that begin with LLDB_SERVER_LOSES are lost, and those to
LLDB_SERVER_NESTS are 100,000 brackets.
"""
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "long", "Inputs"))
from packet_proxy import Stream, frame, host_socket

REGISTERS = {b"qRegisterInfo3": (rb"\bname:[^;]*;", b""), b"qRegisterInfo4": (rb"\boffset:\d+;", b"offset:2147483000;"), b"qRegisterInfo5": (rb"\bset:[^;]*;", b"")}


def registers(request, answer):
    """The registers are reported by qRegisterInfo only."""
    if request.startswith(b"qSupported"):
        return answer.replace(b";qXfer:features:read+", b"")
    return re.sub(*REGISTERS[request], answer) if request in REGISTERS else answer


def die(server):
    server.kill()
    server.wait()
    os.kill(os.getpid(), signal.SIGKILL)


def pass_gpu(server, listener, folder, path, dies_at):
    """Serves the GPU's connection until the request at which both die."""
    client = Stream(listener.accept()[0])
    shutil.rmtree(folder)
    with socket.socket(socket.AF_UNIX) as real:
        real.connect(path)
        behind = Stream(real)
        while not client.ended and not behind.ended:
            for stream in select.select([client, behind], [], [])[0]:
                for raw, payload in stream.read():
                    if stream is client and (payload or b"").startswith(dies_at):
                        die(server)
                    (behind if stream is client else client).socket.sendall(raw)


def listen_for_gpu(server, answer, dies_at):
    """The answer that says where the GPU's connection is, with a place of this process."""
    reported = re.search(rb"unix-connect://([^\"]+)", answer)
    if not reported:
        return answer
    folder = tempfile.mkdtemp()
    path = f"{folder}/gpu".encode()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    threading.Thread(target=pass_gpu, args=(server, listener, folder, reported[1], dies_at), daemon=True).start()
    return answer.replace(reported[1], path)


def main():
    gpu_dies_at = os.environ.get("LLDB_SERVER_GPU_DIES_AT", "").encode()
    dies_at, loses, nests = map(os.environ.get, ("LLDB_SERVER_DIES_AT", "LLDB_SERVER_LOSES", "LLDB_SERVER_NESTS"))
    mine, its = socket.socketpair()
    words = [f"--fd={its.fileno()}" if word.startswith("--fd=") else word for word in sys.argv[1:]]
    server = subprocess.Popen([os.environ["LLDB_SERVER"], *words], pass_fds=[its.fileno()])
    its.close()
    client, behind, request = Stream(host_socket()), Stream(mine), b""
    while not client.ended and not behind.ended:
        for stream in select.select([client, behind], [], [])[0]:
            for raw, payload in stream.read():
                if stream is client:
                    request = payload or request
                    if dies_at and request.startswith(dies_at.encode()):
                        die(server)
                    behind.socket.sendall(raw)
                elif payload is None:
                    client.socket.sendall(raw)
                elif nests and request.startswith(nests.encode()):
                    client.socket.sendall(frame(b"[" * 100000))
                elif not (loses and request.startswith(loses.encode())):
                    if gpu_dies_at and b"connect_url" in payload:
                        payload = listen_for_gpu(server, payload, gpu_dies_at)
                    client.socket.sendall(frame(registers(request, payload)))
    mine.close()
    server.wait()


main()
