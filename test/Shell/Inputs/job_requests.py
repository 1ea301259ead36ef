# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ranks in MPI_Wait wait for, with Open MPI's types and without.

usage: job_requests.py LAUNCHER SCHEMA FOLDER
"""
import json
import os
import re
import subprocess
import sys

import jsonschema

from job_session import JobSession, line_of

launcher, schema_path, folder = sys.argv[1:4]
inputs = os.path.dirname(__file__)
os.makedirs(folder, exist_ok=True)
include = subprocess.run(["mpicxx.openmpi", "--showme:incdirs"], capture_output=True, text=True, check=True).stdout.split()
types = f"{folder}/mpi-types.o"
subprocess.run(["gcc", "-g", "-c", f"{inputs}/mpi-types.c", *(f"-I{one}" for one in include),
                *(f"-I{one}/openmpi" for one in include), "-o", types], check=True)
source = f"{inputs}/requests.cpp"
with open(schema_path) as file:
    schema = json.load(file)


def run(title, *objects):
    print("==", title)
    program = f"{folder}/requests"
    subprocess.run(["mpicxx.openmpi", "-g", "-O0", source, *objects, "-o", program], check=True)
    with JobSession(launcher) as s:
        s.launch(3, program, options="--stop-at-entry")
        s.run_until(lambda: s.command("rank waits").count("MPI_Wait") == 2)
        text = re.sub("0x[0-9a-f]+", "NUMBER", s.command("rank waits"))
        for name in "all", "one":
            text = text.replace(f"requests.cpp:{line_of(source, '// ' + name)}", f"the line of {name}")
        print(text, end="")
        value = s.json("rank waits --json")
        jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["rank waits"]}).validate(value)
        print("messages:", [[(m["kind"], m.get("peer"), m.get("tag")) for m in one["messages"]] for one in value if "messages" in one])
        s.command("job kill")


run("with types", types)
run("without")
