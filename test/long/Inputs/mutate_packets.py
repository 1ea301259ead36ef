# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions in which a peer says what is wrong.

usage: mutate_packets.py client|replay|server|adapter|agent|record BUILD FOLDER FIRST END LOG

client: LLDB and the plugin, whose lldb-server's answers are mutated while waves are stopped; replay: the same from the session's start, without a server;
server: lldb-server, whose requests are; adapter: lldb-dap, whose requests are; agent: LLDB's MCP server, whose requests are.
record writes what is said in a good session, which replay needs. Each of the seeds FIRST to END, exclusive, is a session; it is written to LOG before it
is tried, to identify a crash."""
import contextlib
import json
import os
import random
import re
import socket
import sys
import time

here = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "Shell", "Inputs"))
from mutate_text import mutate  # noqa: E402

LOOKS = ("thread list", "bt", "frame variable", "thread lane list", "thread lane print i", "gpu wave list", "gpu queue list", "gpu dispatch list", "gpu agent list",
         "register read pc exec vcc", "register read v0 --format uint32_t[]", "memory read $pc", "memory region $pc", "disassemble --count 4", "source list", "image list",
         "breakpoint set -n nothing", "watchpoint set expression -- 0x200002005000", "watchpoint delete -f", "expression i + 1", "memory write $sp 0", "statistics dump",
         "target select 0", "thread list", "bt all", "register read", "memory region --all", "process status -v", "target select 1")
STEPS = 40  # Stops of a session of LLDB.
LONGEST = 10  # Seconds of a command.
REQUESTS = {"server": 5000, "adapter": 5000, "agent": 5000}  # Mutated requests in a session.
TOGETHER = 16  # As many mutated requests of an editor are sent before one whose answer is waited for.


class Sessions:
    """Sessions of LLDB in this process."""

    def __init__(self, build, folder):
        import lldb
        self.lldb, self.build, self.folder, self.longest = lldb, build, folder, (0, "")
        os.environ["LLDB_DEBUGSERVER_PATH"] = os.path.join(here, "packet_proxy.py")
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(True)
        null = lldb.SBFile.Create(open(os.devnull, "w"))
        self.debugger.SetOutputFile(null)
        self.debugger.SetErrorFile(null)
        for setting in ("plugin.process.gdb-remote.packet-timeout 2", "target.process.interrupt-timeout 2", "auto-confirm true", "target.preload-symbols false"):
            self.debugger.HandleCommand("settings set " + setting)

    def command(self, text):
        answer, start = self.lldb.SBCommandReturnObject(), time.monotonic()
        self.debugger.GetCommandInterpreter().HandleCommand(text, answer)
        self.longest = max(self.longest, (time.monotonic() - start, text))
        return answer

    def events(self, seconds, until):
        """Takes events until it is so."""
        end, event = time.monotonic() + seconds, self.lldb.SBEvent()
        while not until() and time.monotonic() < end:
            self.debugger.GetListener().WaitForEvent(1, event)
        return until()

    def gpu(self):
        """The GPU's process, if its waves are stopped."""
        for index in range(self.debugger.GetNumTargets()):
            process = self.debugger.GetTargetAtIndex(index).GetProcess()
            if self.debugger.GetTargetAtIndex(index).GetTriple().startswith("amdgcn") and process.GetState() == self.lldb.eStateStopped and process.GetNumThreads():
                return process
        return None

    def start(self, **options):
        os.environ["PACKET_PROXY"] = json.dumps({"server": f"{self.build}/bin/lldb-server", "folder": self.folder, **options})
        target = self.debugger.CreateTarget(f"{self.build}/test/programs/stops-O0")
        target.BreakpointCreateByLocation("stops.hip", self.line())
        launch, error = target.GetLaunchInfo(), self.lldb.SBError()
        launch.AddSuppressFileAction(1, False, True)
        launch.AddSuppressFileAction(2, False, True)
        process = target.Launch(launch, error)
        ended = (self.lldb.eStateExited, self.lldb.eStateInvalid, self.lldb.eStateDetached)
        self.events(4 if options["do"] == "replay" else 30, lambda: self.gpu() or process.GetState() in ended)

    @staticmethod
    def line():
        from dap_client import line_of
        return line_of(os.path.join(here, "..", "..", "programs", "hip", "stops.hip"), "store")

    def look(self):
        gpu = self.gpu()
        if gpu:
            self.debugger.SetSelectedTarget(gpu.GetTarget())
        for text in LOOKS:
            self.command(text)
        # Each stop is read again.
        for at in range(STEPS):
            if not self.gpu():
                break
            answer = self.command(("thread step-inst", "thread step-over")[at % 2])
            if not answer.Succeeded():
                break
            self.events(1, self.gpu)
            for text in LOOKS:
                self.command(text)

    def end(self):
        # The host's first: the GPU's ends with it.
        targets = [self.debugger.GetTargetAtIndex(index) for index in range(self.debugger.GetNumTargets())]
        for target in targets:
            target.GetProcess().Kill()
        for target in targets:
            self.debugger.DeleteTarget(target)


def mutated(log):
    """How many the proxy has mutated; it reports a little after the session's end."""
    end = time.monotonic() + 2
    while not os.path.exists(log):
        if time.monotonic() > end:
            return 0
        time.sleep(0.01)
    with open(log) as file:
        count = sum(map(int, file.read().split()))
    os.unlink(log)
    return count


def client(sessions, seed):
    log, trigger = (os.path.join(sessions.folder, f"{name}-{os.getpid()}") for name in ("mutated", "trigger"))
    sessions.start(do="lie", seed=seed, chance=random.Random(seed).choice((0.05, 0.2, 0.5)), trigger=trigger, log=log)
    if not sessions.gpu():
        raise SystemExit("the waves don't stop")
    open(trigger, "w").close()
    sessions.longest = 0, ""
    sessions.look()
    os.unlink(trigger)
    sessions.end()
    seconds, text = sessions.longest
    if seconds > LONGEST:
        raise SystemExit(f"{text}: {seconds:.0f} s")
    return mutated(log)


def replay(sessions, seed):
    log = os.path.join(sessions.folder, f"mutated-{os.getpid()}")
    chance = random.Random(seed)
    # Most reach the stop at which most is said.
    sessions.start(do="replay", file=os.path.join(sessions.folder, "recorded"), seed=seed, chance=chance.choice((0.02, 0.1, 0.5)), after=chance.choice((0, 200, 400, 500, 600)),
                   log=log)
    sessions.look()
    sessions.end()
    return mutated(log)


def server(sessions, seed):
    trigger, done = (os.path.join(sessions.folder, f"{name}-{os.getpid()}") for name in ("trigger", "done"))
    sessions.start(do="inject", seed=seed, count=REQUESTS["server"], trigger=trigger, done=done)
    if not sessions.gpu():
        raise SystemExit("the waves don't stop")
    for text in LOOKS:
        sessions.command(text)
    open(trigger, "w").close()
    end = time.monotonic() + 600
    while not os.path.exists(done) and time.monotonic() < end:
        time.sleep(0.02)
    with open(done) as file:
        reported = json.load(file)
    os.unlink(trigger)
    os.unlink(done)
    sessions.end()
    if reported["wrong"]:
        raise SystemExit(reported["wrong"])
    return reported["sent"]


def valid_requests(c, source, line, thread):
    frame = c.top(thread)["id"]
    scopes = {s["name"]: s["variablesReference"] for s in c.body("scopes", frameId=frame)["scopes"]}
    local = next(iter(scopes.values()))
    return [("threads", {}), ("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 20}), ("scopes", {"frameId": frame}),
            *(("variables", {"variablesReference": reference, "start": 0, "count": 10}) for reference in scopes.values()),
            ("evaluate", {"expression": "i + 1", "frameId": frame, "context": "watch"}), ("evaluate", {"expression": "lane", "frameId": frame, "context": "hover"}),
            ("evaluate", {"expression": "thread lane list", "frameId": frame, "context": "repl"}), ("setVariable", {"variablesReference": local, "name": "i", "value": "3"}),
            ("setExpression", {"expression": "i", "value": "4", "frameId": frame}), ("setBreakpoints", {"source": {"path": source}, "breakpoints": [{"line": line, "condition": "i > 3", "hitCondition": "2", "logMessage": "{i}"}]}),
            ("setFunctionBreakpoints", {"breakpoints": [{"name": "saxpy", "condition": "true"}]}), ("setExceptionBreakpoints", {"filters": ["cpp_throw"], "filterOptions": [{"filterId": "memory", "condition": "x"}]}),
            ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "0x1000", "offset": 4}]}), ("setDataBreakpoints", {"breakpoints": [{"dataId": "1000/4", "accessType": "write"}]}),
            ("dataBreakpointInfo", {"variablesReference": local, "name": "i", "frameId": frame}), ("disassemble", {"memoryReference": "0x1000", "offset": -8, "instructionOffset": -20, "instructionCount": 50, "resolveSymbols": True}),
            ("readMemory", {"memoryReference": "0x1000", "offset": 8, "count": 64}), ("writeMemory", {"memoryReference": "0x1000", "offset": 8, "data": "AAAA"}), ("completions", {"text": "thread la", "column": 9, "frameId": frame}),
            ("breakpointLocations", {"source": {"path": source}, "line": line, "endLine": line + 5}), ("exceptionInfo", {"threadId": thread}), ("modules", {"startModule": 0, "moduleCount": 5}), ("source", {"sourceReference": 1, "source": {"path": source}}),
            ("gotoTargets", {"source": {"path": source}, "line": line}), ("stepInTargets", {"frameId": frame}), ("locations", {"locationReference": 1}), ("next", {"threadId": thread, "granularity": "statement"}),
            ("stepIn", {"threadId": thread, "targetId": 1}), ("stepOut", {"threadId": thread}), ("pause", {"threadId": thread}), ("continue", {"threadId": thread, "singleThread": True}), ("cancel", {"requestId": 3})]


def mutated_request(chance, c, requests, every):
    """One that may be sent, or None."""
    command, arguments = chance.choice(requests)
    # Few that run the program, which ends after some.
    if command in ("continue", "pause", "stepOut", "next", "stepIn") and chance.random() < 0.95:
        return None
    arguments = mutate(chance, arguments, every)
    if b"shell" in arguments:
        return None
    c.sequence += 1
    request = b'{"seq":%d,"type":"request","command":"%s","arguments":%s}' % (c.sequence, command.encode(), arguments)
    if chance.random() < 0.05:
        request = mutate(chance, request, every)
    return None if any(word in request for word in (b"disconnect", b"terminate", b"restart")) else request


def is_harmless(message):
    """Whether an agent's message executes none but these commands. Nobody takes the host's events here, which a step waits for."""
    for line in message.split(b"\n"):
        try:
            text = json.loads(line)["params"]["arguments"]["command"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if not re.match(r"(gpu|frame variable|thread (lane|list|info)|bt|register read|memory read|disassemble|expression|image list|version)\b", str(text)):
            return False
    return True


def agent(sessions, seed):
    chance, sent, last = random.Random(seed), 0, []
    os.environ["HOME"] = sessions.folder  # where the server stores its address
    sessions.start(do="lie", seed=seed, chance=0, **{name: os.path.join(sessions.folder, f"{name}-{os.getpid()}") for name in ("trigger", "log")})
    if not sessions.gpu():
        raise SystemExit("the waves don't stop")
    sessions.debugger.SetAsync(False)
    answer = sessions.command("protocol-server start MCP listen://localhost:0")
    port = int(re.search(r"]:(\d+)", answer.GetOutput())[1])
    number = sessions.debugger.GetID()
    requests = [{"method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
                {"method": "notifications/initialized"}, {"method": "tools/list"}, {"method": "resources/list"}, {"method": "tools/call", "params": {"name": "debugger_list"}},
                {"method": "resources/read", "params": {"uri": f"lldb://debugger/{number}"}}, {"method": "resources/read", "params": {"uri": f"lldb://debugger/{number}/target/0"}},
                *({"method": "tools/call", "params": {"name": "command", "arguments": {"debugger": str(number), "command": text}}}
                  for text in ("gpu wave list", "thread lane list", "frame variable i", "thread lane print i", "bt", "register read pc", "expression i + 1", "version"))]
    every = [json.dumps({"jsonrpc": "2.0", "id": at, **each}).encode() for at, each in enumerate(requests)]
    while sent < REQUESTS["agent"]:
        # A client whose message can't be read may lose its connection; another one still gets answers.
        with socket.create_connection(("localhost", port), timeout=10) as client:
            last = [message for message in (mutate(chance, chance.choice(every), every) for _ in range(TOGETHER)) if is_harmless(message)]
            try:
                client.sendall(b"\n".join(last) + b"\n")
                client.settimeout(0.01)
                while client.recv(1 << 16):
                    pass
            except (TimeoutError, ConnectionError):
                pass
        sent += len(last)
        # What was asked before is executed first.
        with socket.create_connection(("localhost", port), timeout=10 * LONGEST) as client:
            client.sendall(every[2] + b"\n")
            answer = b""
            with contextlib.suppress(TimeoutError):
                answer = client.recv(1 << 16)
            if b'"result"' not in answer:
                # Without Python's end, for which LLDB's threads don't wait.
                print(f"no answer after {last!r}", file=sys.stderr, flush=True)
                os._exit(1)
    sessions.command("protocol-server stop MCP")
    sessions.debugger.SetAsync(True)
    sessions.end()
    return sent


def adapter(sessions, seed):
    from dap_client import Client, line_of
    build, _ = sessions
    chance, sent = random.Random(seed), 0
    source = os.path.realpath(os.path.join(here, "..", "..", "programs", "hip", "stops.hip"))
    line = line_of(source, "store")
    c = Client(f"{build}/bin/lldb-dap")
    last = []
    try:
        c.launch(f"{build}/test/programs/stops-O0", source, [line], lanesAsThreads=bool(chance.randrange(2)))
        thread = c.event("stopped")["threadId"]
        requests = [(command, json.dumps(arguments).encode()) for command, arguments in valid_requests(c, source, line, thread)]
        every = [arguments for _, arguments in requests]
        while sent < REQUESTS["adapter"]:
            last = []
            for _ in range(TOGETHER):
                request = mutated_request(chance, c, requests, every)
                if request:
                    last.append(request)
                    c.input_stream.write(b"Content-Length: %d\r\n\r\n" % len(request) + request)
            c.input_stream.flush()
            threads = c.response(c.send("threads"), seconds=10)
            sent += len(last)
            c.responses.clear()
            c.events.clear()
            if not threads.get("body", {}).get("threads"):
                break  # the program has ended
    except (TimeoutError, BrokenPipeError) as error:
        if not c.ended:
            c.process.kill()
            raise SystemExit(f"no answer within 10 s: {str(error)[:100]} after {last!r}") from None
    c.process.stdin.close()
    try:
        status = c.process.wait(30)
    except Exception:
        c.process.kill()
        raise SystemExit("the adapter stays") from None
    if status < 0:
        raise SystemExit(f"signal {-status} after {last!r}")
    return sent


def main():
    way, build, folder, first, end, log = sys.argv[1:]
    sessions = (build, folder) if way == "adapter" else Sessions(build, folder)
    if way == "record":
        sessions.start(do="record", file=os.path.join(folder, "recorded"))
        if not sessions.gpu():
            raise SystemExit("the waves don't stop")
        sessions.look()
        sessions.end()
        return
    count = 0
    with open(log, "a") as progress:
        for seed in range(int(first), int(end)):
            print(seed, file=progress, flush=True)
            count += {"client": client, "replay": replay, "server": server, "adapter": adapter, "agent": agent}[way](sessions, seed)
        print("end", count, file=progress, flush=True)
    if way != "adapter":
        sessions.lldb.SBDebugger.Destroy(sessions.debugger)


if __name__ == "__main__":
    main()
