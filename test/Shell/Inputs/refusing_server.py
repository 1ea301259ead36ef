#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands where LLDB expects its lldb-server (LLDB_DEBUGSERVER_PATH), with the real one, LLDB_SERVER, behind it. The answers to requests that begin with one of
LLDB_SERVER_REFUSES, separated by commas, are replaced by LLDB_SERVER_SAYS. LLDB_SERVER_LOG gets the names of those.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "long", "Inputs"))
from packet_proxy import Between, frame


class Refusing(Between):
    refuses, says = tuple(os.environ["LLDB_SERVER_REFUSES"].encode().split(b",")), os.environ["LLDB_SERVER_SAYS"].encode()
    asked = {}

    def passes(self, name, who, raw, payload):
        if payload is None:
            return raw
        if who == "client":
            self.asked[name] = payload
        elif (request := self.asked.pop(name, b"")).startswith(self.refuses):
            with open(os.environ["LLDB_SERVER_LOG"], "ab") as log:
                log.write(request.split(b":")[0] + b"\n")
            return frame(self.says)
        return raw


with tempfile.TemporaryDirectory() as folder:
    sys.exit(Refusing({"server": os.environ["LLDB_SERVER"], "folder": folder}).pass_on())
