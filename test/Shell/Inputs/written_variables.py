# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms in which a program writes a variable that the optimizer then drops, and those in which it only seems to.

usage: written_variables.py source FILE
       written_variables.py compare UNOPTIMIZED OPTIMIZED FILE
`source` writes a program with a kernel for each form, `compare` stops behind each write in both builds of it: with optimization, no value may be
another one, unless it says that it is an earlier one, or unavailable.
"""
import re
import sys

LANE = 3
TOP = r"""#include <hip/hip_runtime.h>
#include <new>
struct Pair { int a, b; };
struct Setter {
  int &to;
  __device__ Setter(int &r) : to(r) {}
  __device__ ~Setter() { to += 40; }
};
struct Adder {
  int by;
  __device__ void operator<<(int &r) const { r += by; }
  __device__ void operator()(int *r) const { *r -= by; }
};
struct Holder { int *at; };
__device__ void take(int &r) { r += 7; }
__device__ void takePointer(int *r) { *r ^= 6; }
__device__ int &same(int &r) { return r; }
template <class T> __device__ void exchange(T &a, T &b) { T c = a; a = b; b = c; }
template <class F> __device__ void call(F f) { f(); }
#define SET(name) name = n * 3
#define ADD_TO_V v += n
#define PASTE(name) name##v += n
#define TWICE(x) ((x) + (x))
"""
# What changes `v`.
WRITES = ["v = n;", "v += n;", "v -= n;", "v *= n;", "v /= 2;", "v %= 3;", "v <<= 2;", "v >>= 1;", "v &= 6;", "v |= n;", "v ^= n;", "++v;", "v++;", "--v;", "v--;",
          "(n, v) = 3;", "(n > 4 ? v : w) = 5;", "(v) = n;", "w = v = 7;", "w = (v += 2, v);", "if ((v = n) > 3) w++;", "while (v < n) v += 3;",
          "for (v = 0; v < 3; ++v) w += n;", "do v += 2; while (v < n);", "switch (n & 1) { case 0: v = 4; case 1: v += 1; }", "w = n && ++v;", "w = n > 3 ? v++ : n;",
          "int &r = v; r = 9;", "auto &&r = v; r += n;", "int &r = n > 3 ? v : w; r = 5;", "const_cast<int &>(static_cast<const int &>(v)) = 4;", "take(v);", "takePointer(&v);",
          "int *p = &v; *p = n;", "int *p = &v; int **q = &p; **q = n;", "Holder h{&v}; *h.at = n;", "same(v) = 3;", "exchange(v, w);", "Setter s(v);", "{ Setter s(v); }",
          "Adder{4} << v;", "Adder{n}(&v);", "int &&r = static_cast<int &&>(v); r = 3;", "*reinterpret_cast<short *>(&v) = 7;", "reinterpret_cast<Pair *>(&v)->a = 8;",
          "SET(v);", "ADD_TO_V;", "PASTE();", "w = TWICE(++v);",
          "[&] { v = n; }();", "[&v] { v += 2; }();", "[&r = v] { r += 2; }();", "call([&] { v ^= n; });", "auto f = [&](auto x) { v += x; }; f(n);", "[&] { [&] { v = 2; }(); }();",
          "auto f = [v]() mutable { return ++v; }; w = f();",
          "__atomic_fetch_add(&v, n, __ATOMIC_RELAXED);", "__hip_atomic_fetch_max(&v, 50, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SINGLETHREAD);", "__atomic_store_n(&v, n, __ATOMIC_RELAXED);",
          'asm volatile("v_add_u32 %0, %0, 1" : "+v"(v));', 'asm volatile("v_mov_b32 %0, 5" : "=v"(v));', 'asm volatile("" : "+v"(v), "+v"(w));',
          "__builtin_memcpy(&v, &w, sizeof v);", "__builtin_memset(&v, 1, sizeof v);", "memcpy(&v, &n, 4);", "__builtin_add_overflow(n, 2, &v);", "new (&v) int(n);",
          "for (int i = 0; i < 2; ++i) { if (i) break; v += i + n; }", "again: if (v < n) { v += 4; goto again; }", "if (int old = v++) w = old;",
          "w = sizeof(v++);", "decltype(v++) x = n; w += x;", "const int &r = v; w += r;", "const int *p = &v; w += *p;", "w = v;", "static_cast<void>(v);", "w += [&] { return v; }();",
          "w += [=] { return v; }();"]
# The same of a structure's members, and of an array's elements.
PAIRS = ["v.a = n;", "v = Pair{n, 2};", "auto &[x, y] = v; x += n;", "auto [x, y] = v; x += n; w += x;", "const auto &[x, y] = v; w += x + y;", "int &r = v.b; r = 3;", "v.a++, v.b--;",
         "Pair *p = &v; p->b = n;", "int Pair::*m = &Pair::b; v.*m = n;", "Pair o{n, n}; v = o;", "__builtin_memcpy(&v, &w, 4);", "exchange(v.a, v.b);", "take(v.b);",
         "[&] { v.a = 5; }();"]
ARRAYS = ["v[0] = n;", "v[n & 1] = 3;", "1[v] = n;", "*v = n;", "*(v + 1) = n;", "for (int &e : v) e += n;", "for (int e : v) w += e;", "int *p = v; p[1] = n;", "int (&r)[2] = v; r[0] = n;",
          "auto &[x, y] = v; y = n;", "takePointer(v);", "take(v[1]);", "exchange(v[0], v[1]);"]
FORMS = [("int v = threadIdx.x * 2 + 1;", "v", ["v"], WRITES), ("Pair v = {int(threadIdx.x), 5};", "v.a + v.b", ["v.a", "v.b"], PAIRS),
         ("int v[2] = {int(threadIdx.x), 5};", "v[0] + v[1]", ["v[0]", "v[1]"], ARRAYS)]

def write_source(path):
    lines = TOP.split("\n")
    names = []
    for declaration, used, paths, forms in FORMS:
        for form in forms:
            names.append(f"k{len(names)}")
            lines += [f"__global__ void {names[-1]}(int *out, int n) {{", f"  {declaration}", "  int w = out[threadIdx.x];", f"  {form}",
                      f"  out[threadIdx.x] = {used} + w;",
                      f'  asm volatile("s_nop 13" ::: "memory"); // {" ".join(paths)}', "  out[threadIdx.x] += n;", "}"]
    lines += ["int main() {", "  int *d;", "  if (hipMalloc(&d, 1024) || hipMemset(d, 0, 1024))", "    return 1;"]
    lines += [f"  {name}<<<1, 64>>>(d, 9);" for name in names]
    lines += ["  return hipDeviceSynchronize();", "}"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read_values(program, marks):
    """{(line, path): text}: a number and its mark, or why there is none."""
    import lldb
    debugger = lldb.SBDebugger.Create(False)
    debugger.SetAsync(False)
    target = debugger.CreateTarget(program)
    source = sys.argv[4]
    for line in marks:
        target.BreakpointCreateByLocation(lldb.SBFileSpec(source), line)
    target.Launch(lldb.SBLaunchInfo([]), lldb.SBError())
    found = {}
    process = debugger.GetSelectedTarget().GetProcess()
    while process.GetState() == lldb.eStateStopped:
        for thread in process:
            frame = thread.GetFrameAtIndex(0)
            line = frame.GetLineEntry().GetLine()
            if thread.GetStopReason() != lldb.eStopReasonBreakpoint or line not in marks:
                continue
            frame.FindRegister("lane").SetValueFromCString(str(LANE))
            for path in marks[line]:
                value = thread.GetFrameAtIndex(0).GetValueForVariablePath(path)
                found[line, path] = str(value.GetError()) if value.GetError().Fail() else f"{value.GetValue()} {value.GetSummary() or ''}".strip()
        target.GetProcess().Continue()
        process = debugger.GetSelectedTarget().GetProcess()
    lldb.SBDebugger.Destroy(debugger)
    return found


def compare(unoptimized, optimized, source):
    with open(source, encoding="utf-8") as file:
        text = file.read().split("\n")
    marks = {number: line.split("// ")[1].split() for number, line in enumerate(text, 1) if "s_nop 13" in line}
    right, shown = read_values(unoptimized, marks), read_values(optimized, marks)
    counts = {"right": 0, "from the source": 0, "stale": 0, "unavailable": 0, "wrong": 0, "missing": 0}
    for (line, path) in ((line, path) for line in marks for path in marks[line]):
        wanted, found = right.get((line, path), "nothing"), shown.get((line, path), "nothing")
        number = re.fullmatch(r"-?\d+", wanted)
        kind = "missing" if not number or found == "nothing" else "stale" if "value at line" in found or "an earlier value" in found else \
            "unavailable" if not re.match(r"-?\d+( |$)", found) else "wrong" if found.split()[0] != wanted else "from the source" if "[" in found else "right"
        counts[kind] += 1
        if kind in ("wrong", "missing"):
            print(f"line {line}: {text[line - 3].strip()} {path}: {found}, not {wanted}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


if sys.argv[1] == "source":
    write_source(sys.argv[2])
else:
    compare(*sys.argv[2:5])
