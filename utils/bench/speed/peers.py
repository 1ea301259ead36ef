#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulated device beside other simulators of GPUs, one thread each: the same kernels, whose results must be the same.

usage: peers.py BUILD-FOLDER [--remu LIBRARY] [--tinygrad FOLDER]

LIBRARY is remu's libremu.so, FOLDER a tree of tinygrad's sources, whose emulator is used. Oclgrind is used if it is installed.
Each figure is printed with its goal, and the last line says which fall short. docs/speed.md explains them.
"""
import argparse
import ctypes
import functools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from speed import compiled

GOAL = 5
# 262,144 matrix instructions, as rocjitsu's authors have published for one thread of their machine.
GRID, PUBLISHED = 262144, 13.0
KERNELS = ["integers", "memory", "floats", "matrices"]
CHECKED = 100  # rounds with which results are compared
LLVM = "/usr/lib/llvm-" + (pathlib.Path(__file__).resolve().parents[2] / "llvm-version").read_text().split(".")[0] + "/bin"


def grid(kernel):
    """Groups and lanes, and the words of the result, as in peers.hip."""
    return (64, 32, 64 * 256) if kernel == "matrices" else (4, 256, 1024)


def checksum(words):
    """A sum of a kernel's results, as in peers.hip."""
    total = 0
    for word in words:
        total = (total * 31 + (word & 0xffffffff)) & 0xffffffff
    return total


class Wavelane:
    """peers.hip as a program."""
    def __init__(self, build, program):
        self.command = [f"{build}/bin/wavelane-run", "--runtime", "wavelane", "--threads", "1"]
        self.program = program

    def run(self, kernel, rounds):
        seconds, total = subprocess.check_output([*self.command, self.program, kernel, str(rounds)], text=True).split()
        return float(seconds), int(total)

    def instructions(self, kernel):
        """How many instructions the waves execute in a round, all together."""
        def count(rounds):
            with tempfile.NamedTemporaryFile() as file:
                subprocess.check_output([*self.command, "--count", "--json", file.name, self.program, kernel, str(rounds)],
                                        stderr=subprocess.DEVNULL)
                return sum(line["instructions"] for device in json.load(file)["devices"] for line in device["lines"])

        # The program launches the kernel three times with as many rounds.
        return (count(800) - count(400)) / 3 / 400


class Oclgrind:
    """peers.hip as OpenCL."""
    def __init__(self, source, folder):
        self.source, self.folder = source, folder

    def once(self, kernel, rounds):
        groups, lanes, words = grid(kernel)
        with open(f"{self.folder}/peers.sim", "w", encoding="utf-8") as file:
            file.write(f"{self.source}\n{kernel}\n{groups * lanes} 1 1\n{lanes} 1 1\n<size={4 * words} fill=0 dump>\n"
                       f"<size=4096 range=0:7:7161 int>\n<size=4 int> 1024\n<size=4 int> {rounds}\n")
        begin = time.monotonic()
        output = subprocess.check_output(["oclgrind-kernel", "--num-threads", "1", f"{self.folder}/peers.sim"], text=True)
        seconds = time.monotonic() - begin
        return seconds, checksum(int(value) for value in re.findall(r"out\[\d+\] = (-?\d+)", output))

    def run(self, kernel, rounds):
        """Without the time of a program that does nothing."""
        nothing = min(self.once(kernel, 0)[0] for _ in range(3))
        seconds, total = self.once(kernel, rounds)
        return max(seconds - nothing, 1e-6), total


class Emulator:
    """The machine code of a kernel, in remu or in tinygrad's emulator, in a process of its own."""
    def __init__(self, name, where, code):
        self.command = [sys.executable, os.path.abspath(__file__), "--child", name, where, code]

    def run(self, kernel, rounds):
        output = subprocess.check_output([*self.command, kernel, str(rounds)], stderr=subprocess.DEVNULL, text=True)
        return tuple(json.loads(output.splitlines()[-1]))


def machine_code(path, kernel):
    """The bytes of a kernel in a code object."""
    listing = subprocess.check_output([f"{LLVM}/llvm-readelf", "-sSW", path], text=True)
    address, offset = (int(n, 16) for n in re.search(r"\.text\s+PROGBITS\s+(\w+) (\w+)", listing).groups())
    start, size = re.search(rf"(\w+)\s+(\d+) FUNC.* {kernel}$", listing, re.M).groups()
    with open(path, "rb") as file:
        file.seek(int(start, 16) - address + offset)
        return file.read(int(size))


def child(name, where, path, kernel, rounds):
    """Runs a kernel twice, since tinygrad compiles instructions at first, and prints the seconds and the sum of the results."""
    if name == "remu":
        library = ctypes.CDLL(where)
        library.run_asm.argtypes = [ctypes.c_void_p, *[ctypes.c_uint32] * 7, ctypes.c_void_p]
        run = library.run_asm
    else:
        sys.path.insert(0, where)
        from test.mockgpu.amd.emu import run_asm
        # As compilers count a kernel's user registers: the group's number is in s15, where remu has it anyway.
        run = functools.partial(run_asm, rsrc2=15 << 1 | 1 << 7)
    groups, lanes, words = grid(kernel)
    code = machine_code(path, kernel)
    text = ctypes.create_string_buffer(code, len(code))
    out, data = (ctypes.c_uint32 * words)(), (ctypes.c_uint32 * 1024)(*range(0, 7 * 1024, 7))
    seconds = 0
    for rounds in (4, rounds):
        # The kernel's arguments, and the hidden ones after them: the grid's size.
        arguments = struct.pack("<QQiiIIIHHH", ctypes.addressof(out), ctypes.addressof(data), 1024, rounds, groups, 1, 1, lanes, 1, 1)
        arguments = ctypes.create_string_buffer(arguments, 288)
        begin = time.monotonic()
        if run(ctypes.addressof(text), len(code), groups, 1, 1, lanes, 1, 1, ctypes.addressof(arguments)):
            sys.exit("the emulator has refused the kernel")
        seconds = time.monotonic() - begin
    print(json.dumps([seconds, checksum(out)]))


def timed(peer, kernel, longest):
    """The seconds of a round, with at least a second of rounds."""
    rounds = CHECKED
    while True:
        seconds, _ = peer.run(kernel, rounds)
        if seconds >= 1 or rounds >= longest:
            return seconds / rounds
        rounds = min(longest, int(rounds * max(2, min(20, 1.3 / seconds))) // 4 * 4)


def main():
    """Measures, and compares with the goals."""
    if sys.argv[1:2] == ["--child"]:
        return child(*sys.argv[2:6], int(sys.argv[6]))
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--remu")
    parser.add_argument("--tinygrad")
    options = parser.parse_args()
    print("load: " + " ".join(open("/proc/loadavg", encoding="ascii").read().split()[:3]))
    short = []

    def report(what, text, ratio):
        good = ratio >= GOAL
        print(f"{what}: {text} (goal {GOAL}{'' if good else ', falls short'})", flush=True)
        if not good:
            short.append(what)

    source = os.path.dirname(os.path.abspath(__file__)) + "/peers.hip"
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(options.build, source, "2", "gfx1100", folder)
        # The same machine code, alone.
        code = compiled(options.build, source, "2", "gfx1100", folder, ["--offload-device-only", "--no-gpu-bundle-output"])
        device = Wavelane(options.build, program)
        peers = {"Oclgrind": Oclgrind(source, folder) if shutil.which("oclgrind-kernel") else None,
                 "remu": options.remu and Emulator("remu", options.remu, code),
                 "tinygrad's emulator": options.tinygrad and Emulator("tinygrad", options.tinygrad, code)}
        for kernel in KERNELS:
            _, right = device.run(kernel, CHECKED)
            ours, count = timed(device, kernel, 4096 if kernel == "matrices" else 10 ** 7), device.instructions(kernel)
            print(f"{kernel}: {count / ours / 1e6:.3g} million instructions of waves a second")
            for name, peer in peers.items():
                if not peer or (name == "Oclgrind" and kernel == "matrices"):
                    continue
                if peer.run(kernel, CHECKED)[1] != right:
                    sys.exit(f"{kernel}: the results of {name} are others")
                theirs = timed(peer, kernel, 10 ** 5 if name == "remu" else 16000)
                report(f"{kernel}, {name}", f"{count / theirs / 1e6:.3g} million a second, Wavelane has {theirs / ours:.0f} times as many", theirs / ours)
            if kernel == "matrices":
                seconds = ours * GRID / 64
                report("rocjitsu's grid", f"{seconds:.2f} s, published {PUBLISHED} s, {PUBLISHED / seconds:.0f} times as long", PUBLISHED / seconds)
    print("left out: " + (", ".join(name for name, peer in peers.items() if not peer) or "none"))
    print("falls short of its goal: " + ("; ".join(short) or "nothing"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
