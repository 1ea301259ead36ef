# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a job doesn't go on: each rank's call of MPI, with its arguments, and who waits for whom.

usage: job_waits.py LAUNCHER MPI SCHEMA FOLDER COMPILER:LEVEL...
"""
import json
import os
import re
import subprocess
import sys

import jsonschema

from job_session import JobSession, line_of

launcher, mpi, schema_path, folder = sys.argv[1:5]
source = os.path.join(os.path.dirname(__file__), "waits.cpp")
os.makedirs(folder, exist_ok=True)
with open(schema_path) as file:
    schema = json.load(file)


def build(compiler, level):
    program = f"{folder}/waits-{compiler}-{level}"
    subprocess.run([f"mpicxx.{mpi}", "-g", level, source, "-o", program], check=True, stderr=subprocess.DEVNULL,
                   env={**os.environ, "OMPI_CXX": compiler, "MPICH_CXX": compiler})
    return program


def shown(session):
    """What `rank waits` shows once all ranks wait."""
    def all_wait():
        text = session.command("rank waits")
        return "MPI_Barrier" in text and "MPI_Sendrecv" in text and text.count("MPI_Recv") == 3 and "sleep" in text

    session.run_until(all_wait)
    return session.command("rank waits")


numbers = {name: f"waits.cpp:{line_of(source, '// ' + name)}" for name in ("rank 0", "rank 2", "rank 4")}
for variant in sys.argv[5:]:
    program = build(*variant.split(":"))
    with JobSession(launcher) as s:
        s.command(f"settings set target.env-vars {' '.join(f'{name}={os.environ[name]}' for name in os.environ if name.startswith('OMPI_'))}")
        s.launch(6, program, options="--stop-at-entry")
        text = shown(s)
        for name, place in numbers.items():
            text = text.replace(place, f"the line of {name}")
        print(f"== {variant}")
        print(re.sub("0x[0-9a-f]+", "NUMBER", text), end="")
        value = s.json("rank waits --json")
        jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["rank waits"]}).validate(value)
        print("JSON:", [(one["peer"], one.get("tag")) for one in value if "peer" in one])
        s.command("job kill")
