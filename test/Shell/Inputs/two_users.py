# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As another user (nobody), tries to reach a program's simulated device; run by root.

two_users.py WAVELANE-RUN PROGRAMS"""
import ctypes
import glob
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
OWNER = 65533
run, programs = sys.argv[1:]


def copy_for_all(folder):
    """What the program needs, in a folder that every user can read, as a build folder may not be."""
    build = os.path.dirname(os.path.dirname(os.path.realpath(run)))
    os.chmod(folder, 0o755)
    for name in ("bin/wavelane-run", "bin/wavelane-gpu", "lib/libwavelane-driver.so", "program"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(os.path.join(programs, "attach-cov4") if name == "program" else os.path.join(build, name), os.path.join(folder, name))
    os.makedirs(os.path.join(folder, "lib", "wavelane"))
    return os.path.join(folder, "bin", "wavelane-run"), os.path.join(folder, "program")


def as_user(user):
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def attempt(name, action):
    try:
        action()
        print(f"{name}: succeeded", flush=True)
    except OSError as error:
        print(f"{name}: {error.strerror}", flush=True)


def try_all(pid, folder):
    """As nobody; the child's exit code is of no importance."""
    as_user(NOBODY)
    own = subprocess.run(["/bin/true"], check=False).returncode
    print(f"own: {own}", flush=True)
    path = f"{folder}/gpu-{pid}.sock"
    attempt("folder", lambda: os.listdir(folder))

    def connect():
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)

    attempt("socket", connect)
    attempt("memory", lambda: os.listdir(f"/proc/{pid}/fd"))
    device = next(name.split("/")[2] for name in glob.glob("/proc/*/cmdline") if is_device(name, pid))
    attempt("device's memory", lambda: open(f"/proc/{device}/mem", "rb"))
    libc = ctypes.CDLL(None, use_errno=True)

    def attach():
        if libc.ptrace(16, int(device), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    attempt("attach", attach)


def is_device(name, pid):
    try:
        with open(name, "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return b"wavelane-gpu" in words[0] and str(pid).encode() in words


def with_open_folder(folder_fd, pid):
    """Even a peer that got the folder from its owner is refused by its credentials."""
    as_user(NOBODY)

    def talk(role):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(20)
            peer.connect(f"/proc/self/fd/{folder_fd}/gpu-{pid}.sock")
            # A Hello of the protocol's version 4.
            peer.sendall(struct.pack("<IIii", 2, 16, 0, 0) + struct.pack("<IIII", 4, role, pid, 0))
            return bool(peer.recv(1))

    def answers(role):
        try:
            return talk(role)
        except (BrokenPipeError, ConnectionResetError):
            return False

    print("socket with an open folder:", "answered" if any(answers(role) for role in range(4)) else "no answer", flush=True)


def in_child(action):
    child = os.fork()
    if not child:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    os.waitpid(child, 0)


def main():
    with tempfile.TemporaryDirectory(dir="/tmp") as public, tempfile.TemporaryDirectory(dir="/tmp") as folder:
        command = copy_for_all(public)
        os.chown(folder, OWNER, OWNER)
        environment = {"PATH": "/usr/bin:/bin", "WAVELANE_RUNTIME_DIR": folder, "HOME": "/nonexistent"}
        with subprocess.Popen([command[0], "--runtime", "amd", command[1]], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: as_user(OWNER)) as program:
            path = f"{folder}/gpu-{program.pid}.sock"
            # No event announces the socket; half a minute at most.
            for _ in range(300):
                if os.path.exists(path) or program.poll() is not None:
                    break
                time.sleep(0.1)
            if not os.path.exists(path):
                print(f"no device: {program.poll()}")
                return
            assert stat.S_ISSOCK(os.stat(path).st_mode)
            in_child(lambda: try_all(program.pid, folder))
            opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            os.chmod(folder, 0o711)
            os.chmod(path, 0o777)
            in_child(lambda: with_open_folder(opened, program.pid))
            print("owner: still there" if program.poll() is None else f"owner: {program.poll()}")
            program.kill()


if __name__ == "__main__":
    main()
