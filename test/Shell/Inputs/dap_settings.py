# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong settings in launch.json, as the VS Code extension writes them: the launch fails, and the console says why."""
import sys

from dap_client import Client
from why import outcome

adapter, program = sys.argv[1:]
for what, setting in (("check", "check speed"), ("name", "chek memory")):
    client = Client(adapter)
    client.body("initialize", adapterID="wavelane-test")
    answer = client.request("launch", program=program, initCommands=[f"?!settings set plugin.process.amdgpu.{setting}"])
    printed = " ".join(event["body"]["output"] for event in client.events if event["event"] == "output")
    print(f"{what}:", outcome(answer), "printed:", " ".join(printed.split()))
