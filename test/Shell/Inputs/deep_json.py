# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A message of 100,000 levels, then a good one.

deep_json.py ADAPTER"""
import sys

from dap_client import Client

c = Client(sys.argv[1])
deep = b'{"seq":1,"type":"request","command":"threads","arguments":' + b"[" * 100000 + b"]" * 100000 + b"}"
c.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(deep) + deep)
print("initialized:", c.request("initialize", adapterID="wavelane-test")["success"])
c.process.stdin.close()
print("ends:", c.process.wait(20))
