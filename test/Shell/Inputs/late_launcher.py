#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launcher whose job grows: rank 1 comes when the file "grow" is in its working folder, which it prints.

usage: late_launcher.py COMMAND...
"""
import os
import subprocess
import sys
import time

print("begins in", os.getcwd(), flush=True)
ranks = [subprocess.Popen(sys.argv[1:], env={**os.environ, "RANK": "0", "WORLD_SIZE": "1"})]
while not os.path.exists("grow") and ranks[0].poll() is None:
    time.sleep(0.05)
ranks.append(subprocess.Popen(sys.argv[1:], env={**os.environ, "RANK": "1", "WORLD_SIZE": "2"}))
sys.exit(max(rank.wait() for rank in ranks))
