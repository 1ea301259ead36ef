# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the Debug Adapter Protocol for tests: requests, their responses, and events."""
import json
import os
import socket
import subprocess
import threading
import time


def line_of(source, mark):
    """The number of the source line, from 1, that ends in that mark."""
    with open(source) as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith("// " + mark))


class Client:
    def __init__(self, adapter=None, port=None):
        """With its own adapter, or with one that listens at the port."""
        # The messages can be recorded, one per line: Editors/check-trace.js reads them.
        self.trace = open(os.environ["DAP_TRACE"], "ab", 0) if "DAP_TRACE" in os.environ else None
        if port:
            self.process = None
            self.socket = socket.create_connection(("127.0.0.1", port))
            self.output_stream, self.input_stream = self.socket.makefile("rb"), self.socket.makefile("wb")
        else:
            self.process = subprocess.Popen([adapter], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.output_stream, self.input_stream = self.process.stdout, self.process.stdin
        self.sequence = 0
        self.invents_numbers = False  # sends some that the adapter never sent
        self.events = []
        self.requests = []
        self.responses = {}
        self.changed = threading.Condition()
        self.ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        stream = self.output_stream
        while True:
            size, text = None, b""
            try:
                while (line := stream.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        size = int(line.split(b":")[1])
                text = stream.read(size) if size else b""
            except ConnectionError:
                pass  # The adapter is gone.
            message = json.loads(text) if text else None
            if self.trace and message:
                self.trace.write(text + b"\n")
            with self.changed:
                if message is None:
                    self.ended = True
                elif message["type"] == "response":
                    self.responses[message["request_seq"]] = message
                elif message["type"] == "request":
                    self.requests.append(message)
                else:
                    self.events.append(message)
                self.changed.notify_all()
            if message is None:
                return

    def _wait(self, look, what, seconds):
        end = time.monotonic() + seconds
        with self.changed:
            while (found := look()) is None:
                left = end - time.monotonic()
                if self.ended or left <= 0 or not self.changed.wait(left):
                    raise TimeoutError(f"no {what}; events: {self.events[-6:]}")
            return found

    def _write(self, message):
        # Editors in Lua send numbers with 14 digits.
        arguments = message.get("arguments", {})
        assert self.invents_numbers or all(arguments.get(name, 0) < 10 ** 14 for name in ("threadId", "frameId", "variablesReference")), message
        self.sequence += 1
        text = json.dumps({"seq": self.sequence, **message}).encode()
        if self.trace:
            self.trace.write(text + b"\n")
        self.input_stream.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.input_stream.flush()
        return self.sequence

    def send(self, command, **arguments):
        return self._write({"type": "request", "command": command, "arguments": arguments})

    def asked(self, command, seconds=30):
        """Takes the arguments of the adapter's next request, which succeeds."""
        request = self._wait(lambda: self.requests.pop(0) if self.requests else None, command, seconds)
        assert request["command"] == command, request
        self._write({"type": "response", "request_seq": request["seq"], "command": command, "success": True, "body": {}})
        return request["arguments"]

    def response(self, sequence, seconds=30):
        return self._wait(lambda: self.responses.get(sequence), f"response to {sequence}", seconds)

    def request(self, command, **arguments):
        """The whole response, successful or not."""
        return self.response(self.send(command, **arguments))

    def body(self, command, **arguments):
        response = self.request(command, **arguments)
        assert response["success"], response
        return response.get("body")

    def event(self, name, where=lambda body: True, seconds=30):
        """Takes the next event of that name."""
        def look():
            for event in self.events:
                if event["event"] == name and where(event.get("body", {})):
                    self.events.remove(event)
                    return event.get("body", {})
            return None
        return self._wait(look, name, seconds)

    def next_event(self, *names, seconds=60):
        """Takes the whole next event with one of the names."""
        def look():
            for event in self.events:
                if event["event"] in names:
                    self.events.remove(event)
                    return event
            return None
        return self._wait(look, " or ".join(names), seconds)

    def output(self):
        return "".join(e["body"]["output"] for e in self.events if e["event"] == "output")

    def launch(self, program, source=None, lines=(), client=None, **more):
        """Up to the point where the program runs."""
        self.body("initialize", adapterID="wavelane-test", linesStartAt1=True, **(client or {}))
        launched = self.send("launch", program=program, **more)
        self.event("initialized")
        if source:
            self.breakpoints(source, *lines)
        self.body("configurationDone")
        assert self.response(launched)["success"]

    def breakpoints(self, source, *lines):
        lines = [line if isinstance(line, dict) else {"line": line} for line in lines]
        return self.body("setBreakpoints", source={"path": source}, breakpoints=lines)["breakpoints"]

    def top(self, thread):
        return self.body("stackTrace", threadId=thread, levels=1)["stackFrames"][0]

    def scope(self, frame, name):
        for scope in self.body("scopes", frameId=frame)["scopes"]:
            if scope["name"] == name:
                return scope["variablesReference"]
        raise KeyError(name)

    def variables(self, reference):
        return {v["name"]: v["value"] for v in self.body("variables", variablesReference=reference)["variables"]}

    def disconnect(self, **arguments):
        self.body("disconnect", **arguments)
        return self.process.wait(30) if self.process else None
