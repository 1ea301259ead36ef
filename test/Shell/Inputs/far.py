# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another host: a second network namespace, with a link between the two. It runs in a separate user namespace."""
import os
import socket
import subprocess
import tempfile
import time

HERE, THERE, PORT = "10.77.0.1", "10.77.0.2", 4000
# The user's number may be different in here, and the folder of that number may belong to another user.
_private = tempfile.TemporaryDirectory()
os.environ["WAVELANE_RUNTIME_DIR"] = _private.name


def wait(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.02)  # There is no notification of another process's namespaces and ports.


class Far:
    """The other host."""

    def __init__(self, folder):
        self.folder = folder
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "600"])
        mine = os.readlink("/proc/self/ns/net")
        wait(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != mine, "namespace")
        self.enter = ["nsenter", "-t", str(self.holder.pid), "-n"]
        run = lambda *words: subprocess.run(words, check=True)
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(self.holder.pid))
        run("ip", "addr", "add", f"{HERE}/24", "dev", "here")
        run("ip", "link", "set", "here", "up")
        for words in (["addr", "add", f"{THERE}/24", "dev", "there"], ["link", "set", "there", "up"], ["link", "set", "lo", "up"]):
            run(*self.enter, "ip", *words)
        self.children = []

    def start(self, *words, environment=None, **options):
        env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        env.update(environment or {})
        options.setdefault("stdout", subprocess.DEVNULL)
        child = subprocess.Popen([*self.enter, *words], env=env, cwd=self.folder, stderr=subprocess.DEVNULL, **options)
        self.children.append(child)
        return child

    def sockets(self, state):
        """Addresses and ports of its sockets in a state, numbers as the kernel writes them."""
        found = set()
        with open(f"/proc/{self.holder.pid}/net/tcp") as table:
            for line in list(table)[1:]:
                words = line.split()
                if words[3] == state:
                    address, port = words[1].split(":")
                    found.add((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
        return found

    def listening(self):
        return self.sockets("0A")

    def listens(self, port):
        return any(number == port for _, number in self.listening())

    def end(self):
        for child in [*self.children, self.holder]:
            child.kill()
            child.wait(60)
