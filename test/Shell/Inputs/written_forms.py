# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A dropped variable is written in each way that C++ has: what is shown at -O2 is what -O0 shows, or that it isn't known.

usage: written_forms.py FOLDER GPU"""
import os
import subprocess
import sys

from stops import Session

# A kernel's loop changes `row` by a statement; what it needs before the loop, and outside the kernel.
WRITES = {
    "assigned": ("row += 4;", "", ""),
    "incremented": ("++row;", "", ""),
    "in_parentheses": ("(row) += 4;", "", ""),
    "comma": ("(void)0, row += 4;", "", ""),
    "chosen": ("(rows > 3 ? row : other) += 4;", "int other = 0;", ""),
    "macro_of_a_header": ("NEXT_ROW;", "", ""),
    "pasted": ("PASTE(ro, w) += 4;", "", ""),
    "reference": ("r += 4;", "int &r = row;", ""),
    "chosen_reference": ("r += 4;", "int other = 0; int &r = rows > 3 ? row : other;", ""),
    "cast_from_const": ("const_cast<int &>(r) += 4;", "const int &r = row;", ""),
    "pointer": ("*p += 4;", "int *p = &row;", ""),
    "address_in_a_list": ("for (int *p : {&row}) *p += 4;", "", ""),
    "lambda": ("step();", "auto step = [&] { row += 4; };", ""),
    "named_capture": ("step();", "auto step = [&r = row] { r += 4; };", ""),
    "generic_lambda": ("step(row);", "auto step = [](auto &at) { at += 4; };", ""),
    "functor": ("c.next();", "Cursor c{row};", "struct Cursor { int &at; __device__ void next() { at += 4; } };"),
    "binding": ("a += 4;", "auto &&[a, b] = Pair{row, rows};", "struct Pair { int &a, b; };"),
    "constant_parameter": ("advance(row);", "", "__device__ void advance(const int &at) { const_cast<int &>(at) += 4; }"),
    "parameter": ("advance(row);", "", "__device__ void advance(int &at) { at += 4; }"),
    "forwarded": ("advance(row);", "", "template <class T> __device__ void advance(T &&at) { at += 4; }"),
    "pack": ("advance(rows, row);", "", "template <class A, class... T> __device__ void advance(A, T &...at) { ((at += 4), ...); }"),
    "returned": ("pick(row, rows) += 4;", "", "__device__ int &pick(int &a, int b) { return a; }"),
    "punned": ("reinterpret_cast<U &>(row).v += 4;", "", "union U { int v; float f; };"),
    "copied_over": ("int next = row + 4; __builtin_memcpy(&row, &next, 4);", "", ""),
    "atomic": ("atomicAdd(&row, 4);", "", ""),
    "builtin_atomic": ("__atomic_fetch_add(&row, 4, __ATOMIC_RELAXED);", "", ""),
    "assembly": ('asm volatile("v_add_u32 %0, 4, %0" : "+v"(row));', "", ""),
    "swapped": ("int next = row + 4; swap(row, next);", "", "template <class T> __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }"),
    "overflow": ("__builtin_add_overflow(row, 4, &row);", "", ""),
    "jumped": ("row += 4; if (row < 0) goto end;", "", ""),
    "shadowed": ("{ int row = 1; (void)row; } row += 4;", "", ""),
}
# These only read it, so it keeps its value.
READS = {
    "read": ("sum += row;", "", ""),
    "read_by_lambda": ("sum += get();", "auto get = [&] { return row + 1; };", ""),
    "copied_by_lambda": ("sum += get();", "auto get = [=]() mutable { return row + 1; };", ""),
    "passed_by_value": ("sum += twice(row);", "", "__device__ int twice(int a) { a *= 2; return a; }"),
    "sized": ("sum += sizeof(row);", "", ""),
    "discarded": ("(void)row; ++sum;", "", ""),
    "shadow_written": ("{ int row = sum; row += 4; sum = row; }", "", ""),
}
HEADER = "#define NEXT_ROW row += 4\n#define PASTE(a, b) a##b\n"
TURNS = 4


def write(folder):
    """The program, and the line of each kernel's loop."""
    lines = ['#include "next.h"', "#include <hip/hip_runtime.h>"]
    places = {}
    for name, (statement, before, outside) in {**WRITES, **READS}.items():
        lines += [f"namespace in_{name} {{ {outside}", f"__global__ void {name}(int *out, const int *in, int rows) {{"]
        lines += ["  int row = blockIdx.x + 2;", "  int sum = 0;", f"  {before}" if before else "  ;", f"  for (int turn = 0; turn < {TURNS}; ++turn) {{"]
        lines.append('    asm volatile("s_nop 1" ::: "memory");')
        places[name] = len(lines)
        lines += [f"    {statement}", "    sum += in[turn * 64 + threadIdx.x];", "  }"]
        lines += [" end:" if "goto end" in statement else "  ;", "  out[threadIdx.x] = sum;", "}", "}"]
    lines.append("int main() {")
    lines += ["  int *out, *in;", "  (void)hipMalloc(&out, 256); (void)hipMalloc(&in, 4096); (void)hipMemset(in, 0, 4096);"]
    lines += [f"  in_{name}::{name}<<<1, 64>>>(out, in, 16);" for name in places]
    lines += ["  return hipDeviceSynchronize() != hipSuccess;", "}"]
    with open(f"{folder}/next.h", "w", encoding="utf-8") as file:
        file.write(HEADER)
    with open(f"{folder}/writes.hip", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return places


def compiled(folder, gpu, level, *options):
    program = f"{folder}/writes-O{level}" + "".join(options)
    subprocess.run(["clang++-19", "-x", "hip", f"--offload-arch={gpu}", "--rocm-path=/usr",
                    "--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "-w", "-g", f"-O{level}", *options,
                    f"{folder}/writes.hip", "-o", program, "-lamdhip64"], check=True)
    return program


def shown(program, places, gpu):
    """What is shown of `row` in each turn of each kernel."""
    values = {name: [] for name in places}
    with Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as session:
        for line in places.values():
            session.command(f"breakpoint set -f writes.hip -l {line}")
        session.run()
        names = {line: name for name, line in places.items()}
        while not session.where().startswith("ended"):
            frame = session.waves.GetSelectedThread().GetFrameAtIndex(0)
            row = frame.FindVariable("row")
            values[names[frame.GetLineEntry().GetLine()]].append(row.GetValue() if row.GetError().Success() else None)
            session.resume()
    return values


def main():
    folder, gpu = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    places = write(folder)
    truth = shown(compiled(folder, gpu, 0), places, gpu)
    wrong = []
    for options in (["-grecord-command-line"], []):
        found = shown(compiled(folder, gpu, 2, *options), places, gpu)
        for name in places:
            if len(found[name]) != TURNS or len(truth[name]) != TURNS:
                wrong.append(f"{name}: {len(found[name])} turns of {len(truth[name])}")
            wrong += [f"{name}: {have} for {right}" for have, right in zip(found[name], truth[name]) if have not in (None, right)]
        known = [name for name in READS if None not in found[name]]
        print("recorded:" if options else "not recorded:", len(known), "of", len(READS), "that are only read are shown")
    print("wrong:", ", ".join(wrong) or "none")


if __name__ == "__main__":
    main()
