# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for the end of the GPU's process, which LLDB handles after the host's."""
import time

import lldb


def __lldb_init_module(debugger, _):
    process = debugger.GetTargetAtIndex(1).process
    for _ in range(1200):
        if process.state == lldb.eStateExited:
            break
        time.sleep(0.05)  # The event is the debugger's own.
