# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of LLDB's MCP server, on a plain socket, with a stopped kernel."""
import json
import os
import re
import socket
import sys
import tempfile
from stops import Session
from why import whether


class Client:
    """One connection: JSON-RPC, one message per line."""

    def __init__(self, port):
        self.socket = socket.create_connection(("localhost", port), timeout=120)
        self.file = self.socket.makefile("rw", encoding="utf-8", newline="\n")
        self.last = 0

    def send(self, text):
        self.file.write(text + "\n")
        self.file.flush()

    def ask(self, method, params=None):
        """The result, or the error's message."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        self.send(json.dumps(message))
        answer = json.loads(self.file.readline())
        assert answer["id"] == self.last, answer
        return answer["result"] if "result" in answer else "error: " + answer["error"]["message"]

    def begin(self):
        result = self.ask("initialize", {"protocolVersion": "2024-11-05", "capabilities": {},
                                         "clientInfo": {"name": "wavelane-test", "version": "1"}})
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return result

    def command(self, text, debugger):
        result = self.ask("tools/call", {"name": "command", "arguments": {"debugger": str(debugger), "command": text}})
        if isinstance(result, str):
            return result
        return ("error, " if result.get("isError") else "") + result["content"][0]["text"].strip()

    def close(self):
        self.file.close()
        self.socket.close()


# The server stores its address below the user's home.
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
program, gpu = sys.argv[1], sys.argv[2]
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    s.command("breakpoint set -f saxpy.hip -l 12")
    print("stopped:", s.run())
    started = s.command("protocol-server start MCP listen://localhost:0")
    port = int(re.search(r"127\.0\.0\.1\]:(\d+)", started)[1])
    client, debugger = Client(port), s.debugger.GetID()
    print("server:", client.begin()["serverInfo"]["name"])
    print("tools:", sorted(tool["name"] for tool in client.ask("tools/list")["tools"]))
    targets = [client.ask("resources/read", {"uri": one["uri"]})["contents"][0]["text"]
               for one in client.ask("resources/list")["resources"] if one["uri"].startswith(f"lldb://debugger/{debugger}/target/")]
    print("targets:", [target["arch"].split("-")[0] + (", selected" if target["selected"] else "") for target in map(json.loads, targets)])
    waves = json.loads(client.command("gpu wave list --json", debugger))
    print("waves:", [wave["name"] for wave in waves])
    print("lane 17:", client.command("thread lane select 17", debugger).splitlines()[0])
    print("i:", client.command("frame variable i", debugger))
    print("x[i]:", client.command("frame variable x[i]", debugger))
    lanes = json.loads(client.command("thread lane print --json i", debugger))
    values = [int(lane["value"]) for lane in lanes["values"]]
    print("all lanes:", len(values), "from", values[0], "on:", whether(values == list(range(values[0], values[0] + len(values))), values))
    print("next:", re.search("stop reason = .*", client.command("next", debugger))[0])
    print("t:", client.command("frame variable t", debugger))
    # Errors are answered, and another client still gets its own answers.
    print("no such lane:", client.command("thread lane select 4711", debugger))
    print("no such tool:", client.ask("tools/call", {"name": "fly"}))
    print("no such debugger:", client.command("gpu wave list", 4711))
    # Both malformed ones come together with a good one, which is answered.
    client.send("{ this isn't JSON\n" + '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":' + "[" * 100000 + "]" * 100000 + "}")
    print("behind malformed ones:", [tool["name"] for tool in client.ask("tools/list")["tools"]])
    other = Client(port)
    other.begin()
    print("another client:", other.command("frame variable t", debugger))
    other.close()
    # What belongs to a client is freed once it has gone.
    for _ in range(300):
        other = Client(port)
        other.ask("tools/list")
        other.close()
    print("300 more:", client.command("frame variable t", debugger))
    client.close()
    print("stopped server:", s.command("protocol-server stop MCP") or "yes")
    try:
        socket.create_connection(("localhost", port), timeout=10)
        print("it still listens")
    except ConnectionRefusedError:
        print("nobody listens")
    print("left behind:", os.listdir(os.path.join(home.name, ".lldb")))
