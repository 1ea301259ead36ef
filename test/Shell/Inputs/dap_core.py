# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a core file in lldb-dap, and prints the stop and the frame that an editor shows. Usage: dap_core.py LLDB-DAP PROGRAM CORE"""
import sys

from dap_client import Client

client = Client(sys.argv[1])
client.body("initialize", adapterID="wavelane-test", linesStartAt1=True)
attached = client.send("attach", program=sys.argv[2], coreFile=sys.argv[3])
client.event("initialized")
client.body("configurationDone")
assert client.response(attached)["success"]
stop = client.event("stopped", lambda body: body["reason"] == "exception")
print("stopped:", stop["text"], "- focus kept:", stop["preserveFocusHint"])
frame = client.top(stop["threadId"])
print("at:", frame["name"], frame["line"])
client.request("disconnect")
