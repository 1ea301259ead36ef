# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of reading values of all lanes, in packets for memory."""
import json
import os
import re
import sys
import tempfile
from stops import Session

program, gpu = sys.argv[1], sys.argv[2]
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "packets")
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    def values(expression, want):
        """The values of a path in all lanes, and the number of packets for them."""
        s.command(f"log enable -f {log} gdb-remote packets")
        lanes = json.loads(s.command(f"thread lane print --json {expression}"))["values"]
        s.command("log disable gdb-remote packets")
        with open(log, errors="replace") as file:
            kinds = re.findall(r"send packet: \$(MultiMemRead|m|x)[:0-9a-f]", file.read())
        os.remove(log)
        got = [lane.get("bytes", "") for lane in lanes]
        right = [bytes.fromhex(text)[:4] == want(lane).to_bytes(4, "little", signed=True) for lane, text in enumerate(got)]
        print(f"{expression}: {sum(right)} right of {len(lanes)}, {'few' if len(kinds) <= 8 else len(kinds)} packets,"
              f" {'some' if 'MultiMemRead' in kinds else 'none'} of many places")

    s.command("settings set -g target.max-children-count 256")
    s.at("reads", source="reads.hip")
    print(s.run())
    # For frames and registers, which all lanes share.
    s.command("thread lane print i")
    after = lambda lane: (lane * 7 + 3) % 64 * 997 + 400
    values("own", lambda lane: lane)
    values("own.head", lambda lane: lane)
    values("node->value", lambda lane: lane * 3)
    values("node->next->value", after)
    values("*node->next", after)
    # Unmapped memory: each lane of this kind has its own error.
    s.command("thread lane select 5")
    s.command("expression node = (Node *)0x10")
    s.command("expression own.head = 77")
    values("*node", lambda lane: lane * 3)
    values("own.head", lambda lane: 77 if lane == 5 else lane)
    print("written:", s.command("expression node = nodes + 5 * 997; node->value = 12").split("= ")[-1])
    values("node->value", lambda lane: 12 if lane == 5 else lane * 3)
