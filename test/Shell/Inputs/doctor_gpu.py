# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `wavelane` says of GPUs that this machine hasn't.

Usage: doctor_gpu.py BUILD FOLDER"""
import os
import re
import shlex
import subprocess
import sys

build, folder = sys.argv[1:]
wavelane = f"{build}/bin/wavelane"
wrong = []
# A /dev with the files that programs need, and an empty /sys; then the case's own files.
PLACES = f"""set -e
mkdir -p {folder}/dev
mount -t tmpfs none {folder}/dev
for file in null zero full random urandom tty; do
  touch {folder}/dev/$file
  mount --bind /dev/$file {folder}/dev/$file
done
mount --rbind {folder}/dev /dev
mount -t tmpfs none /sys
node() {{ # number, gfx_target_version, drm_render_minor
  mkdir -p /sys/class/kfd/kfd/topology/nodes/$1
  printf 'cpu_cores_count 0\\nsimd_count 440\\ngfx_target_version %s\\ndrm_render_minor %s\\n' $2 $3 > /sys/class/kfd/kfd/topology/nodes/$1/properties
}}
node 0 0 0
"""


def run(script, *words):
    """A program's exit code and output, where a script has placed files."""
    command = f"{PLACES}{script}\nexec {shlex.join(words)}"
    done = subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", "-c", command], text=True, timeout=120, env={**os.environ, "ROCM_PATH": ""},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{done.returncode}\n{done.stdout}"


def expect(name, text, wanted):
    if re.search(wanted, text, re.S):
        print(f"{name}: yes")
    else:
        wrong.append(name)
        print(f"{name}: NO, but: {text[:2000]}")


def simulated(*words):
    done = subprocess.run([f"{build}/bin/wavelane-run", "--runtime", "amd", "--device", "gfx90a,gfx1100", *words], text=True, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


FILES = "touch /dev/kfd; mkdir /dev/dri; touch /dev/dri/renderD128;"
expect("the driver library's GPUs", simulated(wavelane, "doctor"),
       r"ok +gpu +gfx90a\S* and gfx1100\n.*ok +driver +amdgpu [^\n]*, KFD 1\.\d+\n.*ok +permissions +/dev/kfd and the GPU's files in /dev/dri can be opened\n")
expect("what can't be debugged there", simulated(wavelane, "doctor"),
       r"error +AMD's library +no librocm-dbgapi.so.0: [^\n]*\n +-> sudo apt-get install rocm-dbgapi\n|ok +AMD's library +ROCdbgapi ")
expect("no driver behind the file", run(f"{FILES} node 1 90010 128", wavelane, "doctor"),
       r"^1\n.*ok +gpu +gfx90a\S*\n.*error +driver +amdgpu [^\n]*: /dev/kfd doesn't answer \(Inappropriate ioctl[^\n]*\n +-> sudo dmesg ")
expect("an old driver", run(f"{FILES} node 1 90010 128; export LD_PRELOAD={folder}/old_kfd.so", wavelane, "doctor"),
       r"^1\n.*error +driver +[^\n]*KFD 1\.12: kernels can't be debugged before KFD 1\.13\n +-> install Linux 6\.5 or later, or ROCm's amdgpu-dkms\n")
expect("no file of the driver", run("node 1 90010 128", wavelane, "doctor"),
       r"^1\n.*error +permissions +/dev/kfd: No such file or directory\n +-> in a container: add --device=/dev/kfd --device=/dev/dri ")
expect("no file of the GPU", run(f"{FILES} node 1 90010 129; export LD_PRELOAD={folder}/old_kfd.so", wavelane, "doctor"),
       r"error +permissions +/dev/dri/renderD129: No such file or directory\n +-> in a container: add --device=/dev/kfd --device=/dev/dri ")
# Root without its rights over files.
expect("a user without rights", run(f"{FILES} node 1 90010 128; chmod 0 /dev/kfd", "setpriv", "--bounding-set=-dac_override,-dac_read_search", wavelane, "doctor"),
       r"^1\n.*error +permissions +/dev/kfd: Permission denied\n +-> sudo usermod -aG render,video \$USER, and log in again\n")
expect("an unknown GPU", run(f"{FILES} node 1 130000 128; node 2 110000 128", wavelane, "doctor"),
       r"warning +gpu +GPUs that Wavelane doesn't know \(gfx_target_version 130000\)\n +-> use a newer Wavelane\nok +gpu +gfx1100\n")
expect("a driver without a GPU", run("touch /dev/kfd", wavelane, "doctor"), r"warning +gpu +/dev/kfd is there, but no GPU\n +-> sudo dmesg ")
SCOPE = "mount -t tmpfs none /proc/sys/kernel; mkdir /proc/sys/kernel/yama; echo {} > /proc/sys/kernel/yama/ptrace_scope"
expect("no debugging at all", run(SCOPE.format(3), wavelane, "doctor"),
       r"^1\n.*error +ptrace +no program can be debugged here \(kernel\.yama\.ptrace_scope is 3\)\n +-> set kernel\.yama\.ptrace_scope to 1 in /etc/sysctl\.d")
expect("root attaches", run(SCOPE.format(1), wavelane, "doctor"), r"ok +ptrace +programs can be started and attached to\n")
expect("a ROCm", run(f"mkdir -p {folder}/rocm/.info {folder}/rocm/lib; echo 6.4.1-83 > {folder}/rocm/.info/version; touch {folder}/rocm/lib/librocm-dbgapi.so.0; export ROCM_PATH={folder}/rocm",
                     wavelane, "doctor"),
       r"ok +rocm +\S+/rocm \(6\.4\.1-83\).*warning +AMD's library +[^\n]*librocm-dbgapi.so.0[^\n]*\n +-> install ROCm's package rocm-dbgapi again")
with open(f"{folder}/kernel.hip", "w") as file:
    file.write("int main() {}\n")
expect("compile for the GPU at hand", run(f"{FILES} node 1 130000 128; node 2 100300 129", wavelane, "compile", "--dry-run", f"{folder}/kernel.hip"),
       "--offload-arch=gfx1030 ")
print(f"{len(wrong)} wrong")
