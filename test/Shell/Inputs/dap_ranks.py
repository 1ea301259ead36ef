# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor's sessions with a job: one starts it, or attaches to it, and each rank has a child session."""
import os
import re
import subprocess

import psutil

from dap_client import Client
from why import outcome

SUPPORTS = {"supportsStartDebuggingRequest": True, "supportsInvalidatedEvent": True}


def listen(adapter):
    """An adapter that ends with its input, and its port."""
    server = subprocess.Popen([adapter, "--connection", "listen://localhost:0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "WAVELANE_ADAPTER_ENDS_WITH_INPUT": "1"})
    return server, int(re.search(r"\]:(\d+)", server.stdout.readline())[1])


def end(server):
    server.stdin.close()
    return server.wait(60)


class Job:
    """The sessions of an adapter of its own. A request has the adapter's arguments beside those of the tests' own clients."""

    def __init__(self, adapter, count, source, breakpoints, request="launch", **arguments):
        self.adapter, self.port = listen(adapter)
        self.source, self.breakpoints = source, breakpoints
        self.parent = Client(port=self.port)
        self.parent.body("initialize", adapterID="wavelane-test", linesStartAt1=True, **SUPPORTS)
        begun = self.parent.send(request, **arguments)
        self.parent.event("initialized")
        self.parent.breakpoints(source, *breakpoints)
        self.parent.body("configurationDone")
        assert self.parent.response(begun)["success"]
        self.ranks, self.names = [], []
        for _ in range(count):
            self.add()

    def add(self):
        """Begins the session that the adapter asks for."""
        configuration = self.parent.asked("startDebugging")["configuration"]
        self.names.append(configuration["name"])
        child = Client(port=self.port)
        child.body("initialize", adapterID="wavelane-test", **SUPPORTS)
        attached = child.send("attach", session=configuration["session"])
        child.event("initialized")
        child.breakpoints(self.source, *self.breakpoints)
        child.body("setExceptionBreakpoints", filters=["cpp_throw"])
        child.body("configurationDone")
        assert child.response(attached)["success"]
        self.ranks.append(child)

    def stops(self, ranks=None):
        """Each rank's stop, and which ranks an editor shows."""
        stops = [child.event("stopped") for child in (ranks or self.ranks)]
        return stops, [i for i, stop in enumerate(stops) if stop.get("threadCausedFocus")]

    def go_on(self, rank=0):
        """Continues by one rank's session."""
        child = self.ranks[rank]
        thread = child.body("threads")["threads"][0]["id"]
        return outcome(child.request("continue", threadId=thread))

    def set(self, *breakpoints):
        """As an editor does, in each session."""
        for session in [self.parent, *self.ranks]:
            result = session.breakpoints(self.source, *breakpoints)
        return [b["verified"] for b in result]

    def processes(self):
        """The adapter and all that it has started, or that reports to it."""
        launched = psutil.Process(self.adapter.pid)
        ranks = [psutil.Process(child.event("process")["systemProcessId"]) for child in self.ranks]
        return [launched, *launched.children(recursive=True), *ranks]

    def end(self, **arguments):
        self.parent.body("disconnect", **arguments)
        return end(self.adapter)


def left(processes):
    """The processes that are still there after a while."""
    _, alive = psutil.wait_procs(processes, timeout=60)
    return [p.name() for p in alive]
