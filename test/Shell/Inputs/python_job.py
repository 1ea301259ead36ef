# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job by the Python package: ranks, their GPUs, values.

usage: python_job.py LAUNCHER PROGRAM
"""
import os
import sys

import wavelane

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1")
with open(os.devnull, "w") as nowhere, wavelane.Session(sys.argv[2]) as session:
    session.debugger.SetOutputFileHandle(nowhere, False)
    session.command("settings set plugin.process.amdgpu.run-unit rank")
    session.breakpoint(file="ring.hip", regex="in the kernel")
    job = session.job
    ranks = job.launch([sys.argv[1], "-n", "2", sys.argv[2]])
    print(ranks, [rank.reason for rank in ranks])
    print([[wave.kernel for wave in rank.gpu.waves] for rank in ranks])
    print([wave.lanes[7].variable("value").value for rank in ranks for wave in list(rank.gpu.waves)[:1]])
    print(job.values("factor"), [rank.target.GetProcess().GetProcessID() == rank["pid"] for rank in ranks])
    print([next(rank.threads).name.startswith("ring") for rank in ranks])
    print([rank["end"] for rank in job.resume()])
    try:
        print(job.ranks[0].gpu)
    except wavelane.Error as error:
        print(error)
    try:
        job.kill()
    except wavelane.Error as error:
        print(error)
