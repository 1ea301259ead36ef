# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes C programs with objects that are hard to show: bit fields, packed or not, in structures and unions, arrays of characters, arrays of arrays whose
sizes are computed, and parameters that are dead after a call."""
import random

INTEGERS = [("signed char", 8), ("unsigned char", 8), ("short", 16), ("unsigned short", 16), ("int", 32), ("unsigned", 32), ("long", 64), ("unsigned long", 64)]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.structs = []

    def member(self, name, bit_fields, depth):
        kind = self.random.random()
        if kind < (0.7 if bit_fields else 0.1):
            of, bits = self.random.choice(INTEGERS)
            # LLDB counts no bit field of more than 9 bytes.
            width = self.random.randint(1, min(bits, 57))
            return f"{of} {name} : {width};", [(f".{name}", "int")]
        if kind < 0.8:
            of, _ = self.random.choice(INTEGERS)
            return f"{of} {name};", [(f".{name}", "int")]
        if kind < 0.88:
            count = self.random.randint(1, 6)
            return f"char {name}[{count}];", [(f".{name}[{at}]", "int") for at in range(count)]
        if kind < 0.94 or depth > 1:
            return f"double {name};", [(f".{name}", "float")]
        text, leaves = self.record(depth + 1)
        return f"{text} {name};", [(f".{name}{path}", of) for path, of in leaves]

    def record(self, depth=0):
        bit_fields = self.random.random() < 0.7
        packed = " __attribute__((packed))" if self.random.random() < 0.5 else ""
        members, leaves = [], []
        for at in range(self.random.randint(1, 6)):
            text, found = self.member(f"m{at}", bit_fields, depth)
            members.append(text)
            leaves += found
        return f"struct{packed} {{ {' '.join(members)} }}", leaves

    def number(self):
        """An expression of n and k."""
        return self.random.choice(["n", "k", "n * 3", "n - k", "k << 5", "n ^ 0x5a5a", "-n", "n * 1000003L", f"n + {self.random.randint(-300, 70000)}"])

    def program(self):
        lines = ["#include <string.h>", "volatile long sink;",
                 "__attribute__((noinline)) void use(long x) { sink += x; __asm__ volatile(\"\" ::: \"rdi\", \"rsi\", \"rdx\", \"rcx\", \"r8\", \"r9\", \"memory\"); }",
                 "__attribute__((noinline)) void take(void *p) { __asm__ volatile(\"\" :: \"r\"(p) : \"memory\"); }"]
        structs = []
        for at in range(self.random.randint(2, 4)):
            text, leaves = self.record()
            lines.append(f"typedef {text} S{at};")
            structs.append((f"S{at}", leaves))
        lines.append("S0 shared;")
        passed = structs[self.random.randrange(len(structs))]
        lines.append(f"__attribute__((noinline)) long work(int n, unsigned char k, {passed[0]} given, double x, int rows[n][k + 2]) {{")
        for at, (name, leaves) in enumerate(structs):
            lines.append(f"  {name} v{at};")
            lines += [f"  v{at}{path} = {self.number()};" if of == "int" else f"  v{at}{path} = x * {at + 1};" for path, of in leaves]
            if self.random.random() < 0.5:
                lines.append(f"  take(&v{at});")
        # No stop sees an object without a value.
        lines.append(f"  long {', '.join(f't{at} = 0' for at in range(len(structs)))}; use(n);")
        lines.append("  { long a[n]; short b[n + 1][k + 1]; char c[k + 3];")
        lines.append("  for (int i = 0; i < n; i++) a[i] = i * 1000003L + k;")
        lines.append("  for (int i = 0; i <= n; i++) for (int j = 0; j <= k; j++) b[i][j] = i * 100 + j;")
        lines.append("  for (int i = 0; i < k + 3; i++) c[i] = 'a' + i;")
        lines.append("  take(a); take(b); take(c); take(rows);")
        total = []
        for at, (_, leaves) in enumerate(structs):
            chosen = self.random.sample(leaves, min(len(leaves), 3))
            lines.append(f"  t{at} = {' + '.join(f'(long)v{at}{path}' for path, _ in chosen)}; use(t{at});")
            total.append(f"t{at}")
        lines.append(f"  {{ int inner[k][3]; for (int i = 0; i < k; i++) for (int j = 0; j < 3; j++) inner[i][j] = i - j; take(inner); use({' + '.join(total)}); }}")
        lines.append("  t0 += a[0] + b[1][0] + c[1]; }")
        lines.append(f"  return {' + '.join(total)} + rows[1][0] + (long)given{passed[1][0][0]};")
        lines.append("}")
        lines.append("static inline long middle(int n, " + passed[0] + " given) {")
        lines.append("  int rows[n][n + 2]; for (int i = 0; i < n; i++) for (int j = 0; j < n + 2; j++) rows[i][j] = i * 7 - j;")
        lines.append("  long r = 0; r = work(n, n, given, n * 0.5, rows);")
        lines.append("  use(r);")
        lines.append("  return r + n;")
        lines.append("}")
        lines.append("int main(void) {")
        lines.append("  long all = 0;")
        lines.append(f"  for (int i = 2; i < 4; i++) {{ {passed[0]} given; memset(&given, 0, sizeof given);")
        lines += [f"    given{path} = i * {at + 3};" for at, (path, _) in enumerate(passed[1])]
        lines += [f"    shared{path} = i - {at};" for at, (path, _) in enumerate(structs[0][1])]
        lines.append("    all += middle(i + (int)sink % 2, given); }")
        lines.append("  return all == 42;")
        lines.append("}")
        return "\n".join(lines) + "\n"
