# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that compilers vectorize, as a table, and the C and C++ programs made of it.

A row is a function of one loop, or of a few, and says which element of which array an iteration touches: "x": "2*i+1" is x[2*i+1].
Several elements are separated by commas; '?' behind them says that an iteration may leave them out; "% 64" that only the place in a row
of so many elements is reported; a key "x" is what LLDB finds under that name where the function begins. T is an element's type and I the
counter's. In the rows of NEVER a lane of the counter would be wrong whatever it showed."""
import re

# The names of the elements' types, with a typedef.
ELEMENTS = {"i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int", "u32": "unsigned", "i64": "long",
            "f32": "float", "f64": "double"}
ALL, SOME, FEW, ONE = tuple(ELEMENTS), ("i8", "i16", "i32", "f64"), ("i16", "f32"), ("i32",)
SIZE, N, M, ROW = 4352, 1003, 45, 64  # a buffer's elements, trip counts, a row's elements


class Row:
    def __init__(self, name, parameters, body, touches, types=ONE, counters=("int",), variable="i", call=None, others=(), language="c", points=None,
                 also=None):
        self.name, self.parameters, self.body, self.touches = name, parameters, body, touches
        self.types, self.counters, self.variable, self.call = types, counters, variable, call
        self.others = others  # variables whose values in the loop are reported where the function begins, beside the parameters
        self.language = language
        self.also = also or {}  # variables that the loop counts, too, as functions of i and of the parameters
        self.points = points  # of a counter that is a pointer: the array in which it is the element i


YX = "T *restrict y, const T *restrict x, I n"
X = "const T *restrict x, I n"
Y = "T *restrict y, I n"

ROWS = [
    # Elements' types, counters' types and bounds.
    Row("add", YX, "for (I i = 0; i < n; i++) y[i] += x[i];", {"y": "i", "x": "i"}, ALL),
    Row("bytes", YX, "for (I i = 0; i < n; i++) y[i] += x[i];", {"y": "i", "x": "i"}, ("i16", "i32", "f64"), ("int", "unsigned", "size_t")),
    Row("scale", YX, "for (I i = 0; i < n; i++) y[i] = x[i] * (T)3;", {"y": "i", "x": "i"}, FEW, ("unsigned", "long", "size_t", "short")),
    Row("narrow", YX, "for (I i = 0; i < 100; i++) y[i] = x[i] + (T)n;", {"y": "i", "x": "i"}, ("i8", "f32"), ("unsigned char", "signed char", "unsigned short")),
    Row("upto", YX, "for (I i = 0; i <= n; i++) y[i] = x[i] - (T)1;", {"y": "i", "x": "i"}, FEW, ("int", "long")),
    Row("unequal", YX, "for (I i = 0; i != n; ++i) y[i] = x[i] ^ y[i];", {"y": "i", "x": "i"}, ("u8", "i32", "i64"), ("int", "size_t")),
    Row("from_three", YX, "for (I i = 3; i < n; i++) y[i] = x[i] + (T)2;", {"y": "i", "x": "i"}, SOME),
    Row("from_variable", YX + ", I low", "for (I i = low; i < n; i++) y[i] = x[i] + (T)2;", {"y": "i", "x": "i"}, SOME, ("int", "unsigned", "long")),
    Row("from_sum", YX + ", I low", "for (I i = low + 2; i < n - 1; i++) y[i] = x[i] + (T)2;", {"y": "i", "x": "i"}, FEW, ("int", "long")),
    Row("constant", "void", "for (int i = 0; i < 1000; i++) ga_T[i] = gb_T[i] + (T)1;", {"ga_T": "i", "gb_T": "i"}, ALL, call=""),
    Row("constant_odd", "void", "for (int i = 5; i < 1000; i++) ga_T[i] = gb_T[i + 1] + gc_T[i];", {"ga_T": "i", "gb_T": "i+1", "gc_T": "i"}, SOME, call=""),
    Row("parameter", YX, "for (; n < 1003; n++) y[n] = x[n] * x[n];", {"y": "n", "x": "n"}, FEW, ("int", "long"), variable="n", call="y, x, 2"),
    # Steps, directions and forms of the statement.
    Row("by_two", YX, "for (I i = 0; i < n; i += 2) y[i] = x[i];", {"y": "i", "x": "i"}, SOME),
    Row("by_three", X, "T s = 0; for (I i = 0; i < n; i += 3) s += x[i]; return_T(s);", {"x": "i"}, FEW, ("int", "long")),
    Row("by_four", YX, "for (I i = 0; i < n; i += 4) { y[i] = x[i]; y[i + 1] = x[i + 1]; y[i + 2] = x[i + 2]; y[i + 3] = x[i + 3]; }",
        {"y": "i,i+1,i+2,i+3", "x": "i,i+1,i+2,i+3"}, SOME),
    Row("down", YX, "for (I i = n - 1; i >= 0; i--) y[i] = x[i] + (T)1;", {"y": "i", "x": "i"}, SOME, ("int", "long")),
    Row("down_to_one", YX, "for (I i = n; i > 0; --i) y[i - 1] = x[i] + (T)1;", {"y": "i-1", "x": "i"}, SOME, ("int", "unsigned", "size_t")),
    Row("down_by_two", YX, "for (I i = n; i >= 2; i -= 2) y[i] = x[i] + (T)1;", {"y": "i", "x": "i"}, FEW),
    Row("whiling", YX, "I i = 0; while (i < n) { y[i] = x[i] + y[i]; i++; }", {"y": "i", "x": "i"}, SOME, ("int", "size_t")),
    Row("whiling_from", YX + ", I low", "I i = low; while (i < n) { y[i] = x[i] + y[i]; i += 1; }", {"y": "i", "x": "i"}, FEW),
    Row("doing", YX, "I i = 0; do { y[i] = x[i] * y[i]; i++; } while (i < n);", {"y": "i", "x": "i"}, SOME, ("int", "long")),
    Row("doing_down", YX, "I i = n; do { y[i] = x[i] + y[i]; i--; } while (i > 3);", {"y": "i", "x": "i"}, FEW, ("int", "long")),
    Row("in_subscript", YX, "I i = 0; while (i < n) y[i++] = (T)7;", {"y": "i"}, FEW),
    Row("assigned", YX, "for (I i = 0; i < n; i = i + 1) y[i] = x[i];  y[0] = 2;", {"y": "i", "x": "i"}, ("f32",), ("int", "long")),
    # Pointers that count.
    Row("pointer", "T *p, I n", "T *end = p + n; while (p < end) *p++ += (T)3;", {"p": "i"}, SOME, variable="p", points="p", call="y, N", others=("end",)),
    Row("pointers", YX, "const T *end = x + n; for (; x != end; ++x, ++y) *y = *x + (T)1;", {"y": "i", "x": "i"}, SOME, variable="x", points="x", others=("y", "end")),
    Row("pointer_for", YX, "for (const T *p = x; p < x + n; p++) y[0] += *p;", {"x": "i"}, FEW, variable="p", points="x"),
    Row("pointer_ahead", YX, "const T *q = x + 5; for (I i = 0; i < n; i++) y[i] = q[i] + x[i];", {"y": "i", "x": "i,i+5"}, FEW, others=("q",)),
    # Reductions.
    Row("sum", X, "T s = 0; for (I i = 0; i < n; i++) s += x[i]; return_T(s);", {"x": "i"}, ALL),
    Row("dot", "const T *restrict x, const T *restrict y, I n", "T s = 0; for (I i = 0; i < n; i++) s += x[i] * y[i]; return_T(s);", {"x": "i", "y": "i"}, SOME),
    Row("largest", X, "T m = x[0]; for (I i = 1; i < n; i++) m = x[i] > m ? x[i] : m; return_T(m);", {"x": "i"}, ALL),
    Row("least_if", X, "T m = x[0]; for (I i = 0; i < n; i++) if (x[i] < m) m = x[i]; return_T(m);", {"x": "i"}, SOME),
    Row("count_if", X, "int c = 0; for (I i = 0; i < n; i++) c += x[i] > (T)5; return_T((T)c);", {"x": "i"}, SOME),
    Row("widened_sum", X, "long s = 0; for (I i = 0; i < n; i++) s += x[i]; return_T((T)s);", {"x": "i"}, ("i8", "u8", "i16", "i32")),
    Row("last", X, "T last = 7, t; for (I i = 0; i < n; i++) { t = x[i] * (T)3; last = t; } return_T(last);", {"x": "i?"}, FEW),
    # Memory of several elements.
    Row("stencil", YX, "for (I i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i] + x[i + 1];", {"y": "i", "x": "i-1,i,i+1"}, SOME, ("int", "long")),
    Row("behind", YX, "for (I i = 2; i < n; i++) y[i] = x[i] + x[i - 1];", {"y": "i", "x": "i,i-1"}, FEW),
    Row("carried", YX, "T t = x[0]; for (I i = 1; i < n; i++) { y[i] = x[i] + t; t = x[i]; }", {"y": "i", "x": "i,i-1"}, SOME),
    Row("within", "T *a, I n", "for (I i = 0; i < n; i++) a[i] = a[i + 3] + (T)1;", {"a": "i,i+3"}, FEW, call="y, N"),
    Row("even", YX, "for (I i = 0; i < n; i++) y[i] = x[2 * i];", {"y": "i", "x": "2*i?"}, SOME),
    Row("odd", YX, "for (I i = 0; i < n; i++) y[i] = x[2 * i + 1];", {"y": "i", "x": "2*i+1?"}, FEW, ("int", "long")),
    Row("pairs", YX, "for (I i = 0; i < n; i++) { y[2 * i] = x[2 * i + 1]; y[2 * i + 1] = x[2 * i]; }", {"y": "2*i,2*i+1", "x": "2*i,2*i+1"}, SOME),
    Row("pairs_sum", X, "T s = 0; for (I i = 0; i < n; i++) s += x[2 * i] * x[2 * i + 1]; return_T(s);", {"x": "2*i,2*i+1"}, FEW),
    Row("triples", YX, "for (I i = 0; i < n; i++) y[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];", {"y": "i", "x": "3*i,3*i+1,3*i+2"}, FEW),
    Row("strided_store", YX, "for (I i = 0; i < n; i++) y[3 * i] = x[i];", {"y": "3*i?", "x": "i"}, FEW),
    Row("straight", YX, "for (I i = 0; i < n; i++) { y[4 * i] = x[4 * i] + (T)1; y[4 * i + 1] = x[4 * i + 1] + (T)1; y[4 * i + 2] = x[4 * i + 2] + (T)1; "
        "y[4 * i + 3] = x[4 * i + 3] + (T)1; }", {"y": "4*i,4*i+1,4*i+2,4*i+3", "x": "4*i,4*i+1,4*i+2,4*i+3"}, ("i32", "f64")),
    Row("reversed", YX, "for (I i = 0; i < n; i++) y[i] = x[n - i];", {"y": "i", "x": "n-i"}, SOME, ("int", "long")),
    Row("no_restrict", "T *y, const T *x, I n", "for (I i = 0; i < n; i++) y[i] += x[i];", {"y": "i", "x": "i"}, SOME),
    Row("many", "T *restrict y, const T *restrict x, const T *restrict a, const T *restrict b, const T *restrict c, I n",
        "for (I i = 0; i < n; i++) { y[i] = x[i] * a[i] + b[i] * c[i] + x[i] * c[i] + a[i] * b[i]; }",
        {"y": "i", "x": "i", "a": "i", "b": "i", "c": "i"}, SOME, call="y, x, a, b, c, N"),
    Row("mixed", "f64 *restrict y, const T *restrict x, I n", "for (I i = 0; i < n; i++) y[i] = x[i] * 0.5;", {"y": "i", "x": "i"}, ("i8", "i16", "i32", "f32", "i64"),
        call="b0_f64, x, N"),
    Row("narrowing", "i8 *restrict y, const T *restrict x, I n", "for (I i = 0; i < n; i++) y[i] = (i8)x[i];", {"y": "i", "x": "i"}, ("i16", "i32", "i64"), call="b0_i8, x, N"),
    Row("iota", Y, "for (I i = 0; i < n; i++) y[i] = (T)(i * 2 + 1);", {"y": "i"}, SOME, ("int", "long")),
    Row("gather", "T *restrict y, const T *restrict x, const i32 *restrict at, I n", "for (I i = 0; i < n; i++) y[i] = x[at[i]];", {"y": "i", "at": "i"},
        ("i32", "f64"), ("int", "long"), call="y, x, places, N"),
    Row("scatter", "T *restrict y, const T *restrict x, const i32 *restrict at, I n",
        "_Pragma(\"GCC ivdep\") for (I i = 0; i < n; i++) y[at[i]] = x[i];", {"x": "i", "at": "i"}, ("i32",), call="y, x, places, N"),
    # Conditions and blocks.
    Row("store_if", YX, "for (I i = 0; i < n; i++) if (x[i] > (T)10) y[i] = x[i] + (T)1;", {"y": "i?", "x": "i"}, SOME, ("int", "long")),
    Row("either", YX, "for (I i = 0; i < n; i++) { if (x[i] > (T)10) y[i] = x[i]; else y[i] = (T)3; }", {"y": "i", "x": "i"}, SOME),
    Row("load_if", "T *restrict y, const T *restrict x, const T *restrict c, I n", "for (I i = 0; i < n; i++) y[i] = c[i] > (T)4 ? x[i] : (T)0;",
        {"y": "i", "x": "i?", "c": "i"}, SOME, call="y, x, c, N"),
    Row("add_if", YX, "for (I i = 0; i < n; i++) if (x[i] > (T)50) y[i] += (T)5;", {"y": "i?", "x": "i"}, ("i8", "i32", "i64")),
    Row("three_ways", YX, "for (I i = 0; i < n; i++) { T v = x[i]; if (v < (T)5) v = (T)5; else if (v > (T)90) v = (T)90; y[i] = v; }", {"y": "i", "x": "i"}, SOME),
    Row("absolute", YX, "for (I i = 0; i < n; i++) y[i] = x[i] < 0 ? -x[i] : x[i];", {"y": "i", "x": "i"}, SOME),
    Row("invariant_if", YX + ", I how", "for (I i = 0; i < n; i++) { if (how > 3) y[i] = x[i]; else y[i] += x[i]; }", {"y": "i", "x": "i"}, FEW),
    Row("divided_if", "T *restrict y, const T *restrict x, const T *restrict c, I n", "for (I i = 0; i < n; i++) if (c[i] != 0) y[i] = x[i] / c[i];",
        {"y": "i?", "x": "i?", "c": "i"}, ("f32", "f64"), call="y, x, c, N"),
    # Other variables of the loop.
    Row("other_counter", YX, "I j = 5; for (I i = 0; i < n; i++) { y[i] = x[j]; j++; } y[0] = (T)j;", {"y": "i"}, FEW, ("int", "long"), also={"j": "i + 5"}),
    Row("other_step", YX, "I j = 0; for (I i = 0; i < n; i++) { y[i] += (T)1; y[i] ^= x[j]; j += 2; } y[0] = (T)j;", {"y": "i"}, ("i16", "i32"), also={"j": "2 * i"}),
    Row("two_ways", YX, "for (I i = 0, j = n; i < n; i++, j--) y[i] = x[j];", {"y": "i"}, FEW, ("int", "long"), also={"j": "n - i"}),
    Row("used_after", YX, "I i; for (i = 0; i < n; i++) y[i] = x[i] + (T)4; y[0] = (T)i;", {"y": "i", "x": "i"}, FEW),
    # Peeled and unrolled.
    Row("first_differs", YX, "T t = 1; for (I i = 0; i < n; i++) { y[i] = x[i] * t; t = 3; }", {"y": "i", "x": "i"}, SOME, ("int", "long")),
    Row("first_is_set", YX, "for (I i = 0; i < n; i++) { if (i == 0) y[i] = 0; else y[i] = x[i] + x[i - 1]; }", {"y": "i", "x": "i?,i-1?"}, FEW),
    Row("unrolled", YX, "UNROLL(4) for (I i = 0; i < n; i++) y[i] = x[i] * y[i];", {"y": "i", "x": "i"}, SOME),
    Row("interleaved", YX, "INTERLEAVE(2) for (I i = 0; i < n; i++) y[i] = x[i] * y[i] + (T)1;", {"y": "i", "x": "i"}, SOME),
    Row("simd", YX, "_Pragma(\"omp simd\") for (I i = 0; i < n; i++) y[i] = x[i] + y[i];", {"y": "i", "x": "i"}, SOME, ("int", "long")),
    Row("simd_sum", X, "T s = 0; _Pragma(\"omp simd reduction(+ : s)\") for (I i = 0; i < n; i++) s += x[i]; return_T(s);", {"x": "i"}, ("f32", "f64")),
    Row("wide_sum", X, "T s = 0; for (I i = 0; i < n; i++) s += x[i] * x[i] - x[i]; return_T(s);", {"x": "i"}, FEW),
    # Loops in loops.
    Row("matrix", "void", "for (int i = 0; i < 33; i++) for (int j = 0; j < ROW; j++) gm_T[i][j] = gn_T[i][j] + (T)1;", {"gm_T": "j % 64", "gn_T": "j % 64"}, SOME,
        variable="j", call=""),
    Row("big_matrix", "void", "for (int i = 0; i < 40; i++) for (int j = 0; j < 256; j++) big_T[i][j] = large_T[i][j] + (T)1;",
        {"big_T": "j % 256", "large_T": "j % 256"}, SOME, variable="j", call="", others=("i",)),
    Row("big_columns", "int m", "for (int i = 0; i < m; i++) for (int j = 0; j < 200; j++) large_T[j % 40][i] = 0;", {}, FEW, variable="i", call="200"),
    Row("matrix_product", "void", "for (int i = 0; i < 40; i++) for (int k = 0; k < 40; k++) for (int j = 0; j < 256; j++) big_T[i][j] += large_T[i][k] * large_T[k][j];",
        {"big_T": "j % 256", "large_T": "n-j"}, SOME, variable="j", call="", others=("i", "k")),
    Row("matrix_part", "int n", "for (int i = 1; i < 33; i++) for (int j = 3; j < n; j++) gm_T[i][j] = gn_T[i - 1][j + 1] + (T)1;",
        {"gm_T": "j % 64", "gn_T": "j+1 % 64"}, SOME, variable="j", call="61"),
    Row("rows", "T *restrict y, const T *restrict x, int h, int w", "for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) y[i * w + j] = x[i * w + j] + (T)1;",
        {"y": "j % 64", "x": "j % 64"}, SOME, variable="j", call="y, x, 40, 64"),
    Row("row_sums", "T *restrict y, const T *restrict x, int h, int w", "for (int i = 0; i < h; i++) { T s = 0; for (int j = 0; j < w; j++) s += x[i * w + j]; y[i] = s; }",
        {"x": "j % 64"}, FEW, variable="j", call="y, x, 40, 64"),
    Row("row_pointer", "T *restrict y, const T *restrict x, int h, int w",
        "for (int i = 0; i < h; i++) { const T *r = x + i * w; for (int j = 0; j < w; j++) y[j] += r[j]; }", {"y": "j", "x": "j % 64"}, SOME, variable="j",
        call="y, x, 40, 64", others=("i", "r")),
    Row("row_bumped", "T *restrict y, const T *restrict x, int h, int w", "for (int i = 0; i < h; i++) { for (int j = 0; j < w; j++) y[j] += x[j]; x += w; }",
        {"y": "j", "x": "j % 64"}, FEW, variable="j", call="y, x, 40, 64", others=("i", "x")),
    Row("triangle", "T *restrict y, const T *restrict x, int n, int m", "for (int i = 0; i < n; i++) for (int j = i; j < m; j++) y[j] += x[j];", {"y": "j", "x": "j"}, SOME,
        variable="j", call="y, x, 20, 300", others=("i",)),
    Row("triangle_below", "T *restrict y, const T *restrict x, int n, int m", "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[j] += x[j];", {"y": "j", "x": "j"}, FEW,
        variable="j", call="y, x, 300, 20", others=("i",)),
    Row("while_inside", "T *restrict y, const T *restrict x, int n, int m",
        "for (int i = 0; i < n; i++) { int j = 3; while (j < m) { y[j] += x[j] * (T)i; j++; } }", {"y": "j", "x": "j"}, SOME, variable="j", call="y, x, 9, 300", others=("i",)),
    Row("do_inside", "T *restrict y, const T *restrict x, int n, int m",
        "for (int i = 0; i < n; i++) { int j = 0; do { y[j] += x[j] * (T)i; j++; } while (j < m); }", {"y": "j", "x": "j"}, FEW, variable="j", call="y, x, 9, 300", others=("i",)),
    Row("columns", "void", "for (int j = 0; j < ROW; j++) for (int i = 0; i < 33; i++) gm_T[i][j] = gn_T[i][j] + (T)1;", {"gm_T": "i % 64", "gn_T": "i % 64"}, FEW,
        variable="j", call=""),
    Row("transposed", "void", "for (int i = 0; i < 33; i++) for (int j = 0; j < 33; j++) gm_T[i][j] = gn_T[j][i] + (T)1;", {"gm_T": "j % 64"}, FEW, variable="j", call=""),
    Row("product", "void", "for (int i = 0; i < 33; i++) for (int k = 0; k < 33; k++) for (int j = 0; j < ROW; j++) gm_T[i][j] += gn_T[i][k] * go_T[k][j];",
        {"gm_T": "j % 64", "go_T": "j % 64"}, SOME, variable="j", call="", others=("i", "k")),
    Row("jammed", "T *restrict y, const T *restrict x, const T *restrict a, int n, int m", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += a[i] * x[j];",
        {"y": "j", "x": "j"}, FEW, variable="j", call="y, x, a, 9, 300", others=("i",)),
    Row("short_inside", "T *restrict y, const T *restrict x, I n", "for (I i = 0; i < n; i++) for (int k = 0; k < 3; k++) y[i] += x[i + k];", {"y": "i", "x": "i,i+1,i+2"}, SOME,
        others=("k",)),
    Row("unrolled_inside", "T *restrict y, const T *restrict x, int n", "for (int i = 1; i < 40; i++) for (int j = i; j < 2 * i + 60; j++) y[j] += x[j - i];",
        {"y": "j"}, FEW, variable="j", call="y, x, N", others=("i",)),
    Row("repeated", "T *restrict y, const T *restrict x, int times, int n", "for (int t = 0; t < times; t++) for (int i = 0; i < n; i++) y[i] += x[i];",
        {"y": "i", "x": "i"}, SOME, call="y, x, 3, N", others=("t",)),
    Row("pointers_of_rows", "T **rows, int h, int w", "for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) rows[i][j] += (T)1;", {"rows[0]": "j % 64"}, FEW, variable="j",
        call="table_T, 40, 64", others=("i",)),
    # Places of other kinds.
    Row("frame", "T *restrict y, I n", "T t[512]; fill_T(t); for (I i = 0; i < 500; i++) y[i] = t[i] + (T)2; fill_T(t);", {"y": "i"}, SOME, others=("t",)),
    Row("frame_store", "const T *restrict x, I n", "T t[512]; for (I i = 0; i < 500; i++) t[i] = x[i] + (T)2; fill_T(t);", {"x": "i"}, FEW, others=("t",)),
    Row("member_array", "struct s_T *restrict s, I n", "for (I i = 0; i < n; i++) s->a[i] = s->b[i] + (T)1;", {"s->a": "i", "s->b": "i"}, SOME, call="&gs_T, N"),
    Row("member_pointer", "struct s_T *s, I n", "for (I i = 0; i < n; i++) s->p[i] += (T)1;", {"s->p": "i"}, FEW, call="&gs_T, N"),
    Row("member_pointers", "struct s_T *s, I n", "T *p = s->p; const T *q = s->q; for (I i = 0; i < n; i++) p[i] = q[i] + (T)1;", {"s->p": "i", "s->q": "i"}, FEW, call="&gs_T, N",
        others=("p", "q")),
    Row("structures", "struct pair_T *restrict y, const struct pair_T *restrict x, I n", "for (I i = 0; i < n; i++) { y[i].a = x[i].b; y[i].b = x[i].a; }", {}, FEW,
        call="(struct pair_T *)y, (struct pair_T *)x, N"),
    Row("static_local", "const T *restrict x, I n", "static T t[SIZE]; for (I i = 0; i < n; i++) t[i] += x[i];", {"x": "i"}, FEW, others=("t",)),
    # Inlined calls.
    Row("inlined_twice", "T *restrict y, const T *restrict x, const T *restrict z, int n", "plus_T(y, x, n); plus_T(y, z, n);", {"y": "i", "x": "i", "z": "i"}, SOME,
        call="y, x, a, N", others=("n",)),
    Row("inlined_offset", "T *restrict y, const T *restrict x, int n", "plus_T(y + 7, x + 3, n);", {"y": "i+7", "x": "i+3"}, SOME),
    Row("inlined_rows", "T *restrict y, const T *restrict x, int h, int w", "for (int r = 0; r < h; r++) y[r] = total_T(x + r * w, w);", {"x": "i % 64"}, FEW,
        call="y, x, 40, 64", others=("r",)),
    Row("inlined_body", YX, "for (I i = 0; i < n; i++) y[i] = twice_T(x[i]);", {"y": "i", "x": "i"}, SOME),
    Row("inlined_deep", "T *restrict y, const T *restrict x, int n", "more_T(y, x, n);", {"y": "i", "x": "i"}, FEW, others=("m",)),
    Row("inlined_by_pointer", "const T *restrict x, int n", "T s = 0; into_T(&s, x, n); return_T(s);", {"x": "i"}, FEW),
    # Threads' shares of a loop.
    Row("outlined", "T *y, const T *x, int n", "_Pragma(\"omp parallel for simd\") for (int i = 0; i < n; i++) y[i] = x[i] + y[i];", {"y": "i", "x": "i"}, SOME),
    Row("outlined_from", "T *y, const T *x, int n", "_Pragma(\"omp parallel for\") for (int i = 5; i < n; i++) y[i] = x[i] + y[i];", {"y": "i", "x": "i"}, FEW),
    Row("outlined_globals", "void", "_Pragma(\"omp parallel for simd\") for (int i = 0; i < 1000; i++) ga_T[i] = gb_T[i] + (T)1;", {"ga_T": "i", "gb_T": "i"}, SOME, call=""),
    Row("outlined_sum", "const T *x, int n", "T s = 0; _Pragma(\"omp parallel for simd reduction(+ : s)\") for (int i = 0; i < n; i++) s += x[i]; return_T(s);", {"x": "i"}, FEW),
    # C++.
    Row("template_add", YX, "axpy<T>(y, x, (T)2, n);", {"y": "i", "x": "i"}, SOME, language="c++"),
    Row("method", "Array_T &a, I n", "a.add(n);", {"a.data": "i", "a.more": "i"}, FEW, call="array_T, N", language="c++"),
    Row("reference", "T (&y)[SIZE], T (&x)[SIZE]", "for (int i = 0; i < 1000; i++) y[i] = x[i + 1] + (T)1;", {"y": "i", "x": "i+1"}, FEW, call="b0_T, b1_T", language="c++"),
    Row("lambda", YX, "auto one = [&](int i) { y[i] = x[i] * (T)2; }; for (int i = 0; i < n; i++) one(i);", {"y": "i", "x": "i"}, FEW, language="c++"),
    Row("vector", "std::vector<T> &y, const std::vector<T> &x", "for (std::size_t i = 0; i < x.size(); i++) y[i] = x[i] + (T)1;", {}, FEW, call="vy_T, vx_T", language="c++"),
    Row("ranged", "T (&y)[SIZE]", "for (T &e : y) e += (T)1;", {}, FEW, call="b0_T", language="c++"),
    Row("algorithm", X, "return_T(std::accumulate(x, x + n, (T)0));", {}, FEW, language="c++"),
]

NEVER = [
    Row("twice_counted", Y, "for (I i = 0; i < n; i++) { y[i] = (T)5; i++; }", {}, FEW),
    Row("twice_counted_two", YX, "for (I i = 0; i < n; i++) { y[i] += x[i]; i++; y[i] = x[i]; }", {}, SOME),
    Row("counted_in_body", YX, "for (I i = 0; i < n; i++) { y[i] = x[i]; if (y[i] == 0) i++; }", {}, FEW),
    Row("sometimes_counted", YX, "I i = 0; while (i < n) { y[i] = x[i]; if (n > 7) i++; else i += 2; }", {}, ONE),
    Row("vectors", "v_T *restrict y, const v_T *restrict x, I n", "for (I i = 0; i < n / 8; i++) y[i] += x[i];", {}, SOME, call="(v_T *)y, (v_T *)x, N"),
    Row("vectors_loaded", "T *restrict y, const T *restrict x, I n",
        "for (I i = 0; i < n; i += 32 / sizeof(T)) { u_T v = *(const u_T *)(x + i); *(u_T *)(y + i) = v + v; }", {}, SOME),
    Row("intrinsics", "f32 *restrict y, const f32 *restrict x, I n", "for (I i = 0; i + 4 <= n; i += 4) _mm_storeu_ps(y + i, _mm_add_ps(_mm_loadu_ps(x + i), _mm_loadu_ps(y + i)));",
        {}, ONE, call="b0_f32, b1_f32, N", language="c++"),
    Row("search", X, "int at = -1; for (I i = 0; i < n; i++) if (x[i] == (T)77) { at = i; break; } return_T((T)at);", {}, SOME),
    Row("returning", X, "for (I i = 0; i < n; i++) if (x[i] == (T)77) { return_T((T)i); return; } return_T((T)0);", {}, FEW),
    Row("global_counter", YX, "for (counter = 0; counter < n; counter++) y[counter] = x[counter];", {}, ONE),
    Row("escaped_counter", YX, "I i; for (i = 0; i < n; i++) y[i] = x[i]; note(&i);", {"y": "i", "x": "i"}, ONE),
]

HEADER = r"""
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <immintrin.h>
#include <numeric>
#include <vector>
#define restrict __restrict
#endif
#ifdef __clang__
#define UNROLL(n) _Pragma("clang loop unroll_count(4)")
#define INTERLEAVE(n) _Pragma("clang loop interleave_count(2)")
#else
#define UNROLL(n) _Pragma("GCC unroll 4")
#define INTERLEAVE(n)
#endif
#define FUNCTION __attribute__((noinline))
#define ALIGNED __attribute__((aligned(64)))
enum { SIZE = %d, ROW = %d, N = %d, M = %d };
int counter;
int32_t places[SIZE];
volatile int kept;
FUNCTION void note(void *p) { kept = *(int *)p; }
""" % (SIZE, ROW, N, M)

OF_TYPE = r"""
typedef ELEMENT T;
T b0_T[SIZE] ALIGNED, b1_T[SIZE] ALIGNED, b2_T[SIZE], b3_T[SIZE], b4_T[SIZE];
T ga_T[SIZE], gb_T[SIZE], gc_T[SIZE], gm_T[ROW][ROW], gn_T[ROW][ROW], go_T[ROW][ROW];
T big_T[40][256], large_T[40][256];
T *table_T[ROW];
struct s_T { int first; T a[SIZE], b[SIZE]; T *p, *q; } gs_T;
struct pair_T { T a, b; };
typedef T v_T __attribute__((vector_size(32)));
typedef T u_T __attribute__((vector_size(32), aligned(1), may_alias));
volatile T kept_T;
FUNCTION void fill_T(T *t) { for (int k = 0; k < 512; k++) t[k] = (T)(k % 50); kept_T = t[3]; }
static inline void plus_T(T *restrict to, const T *restrict from, int m) { for (int i = 0; i < m; i++) to[i] += from[i]; }
static inline T total_T(const T *from, int m) { T s = 0; for (int i = 0; i < m; i++) s += from[i]; return s; }
static inline T twice_T(T v) { T w = v + v; return w; }
static inline void more_T(T *restrict to, const T *restrict from, int m) { plus_T(to, from, m - 1); }
static inline void into_T(T *sum, const T *from, int m) { for (int i = 0; i < m; i++) *sum += from[i]; }
static void prepare_T(void) {
  for (int k = 0; k < SIZE; k++)
    b0_T[k] = b1_T[k] = (T)(k % 101), b2_T[k] = (T)(k % 7), b3_T[k] = (T)(k % 9), b4_T[k] = (T)3, gb_T[k] = (T)(k % 50), gs_T.b[k] = (T)1;
  for (int k = 0; k < ROW; k++)
    table_T[k] = b0_T + ROW * k;
  gs_T.p = b2_T, gs_T.q = b3_T;
}
#ifdef __cplusplus
struct Array_T { T *data; T *more; void add(int n) { for (int i = 0; i < n; i++) data[i] += more[i]; } } array_T = {b0_T, b1_T};
std::vector<T> vy_T(SIZE), vx_T(SIZE);
#endif
"""

TEMPLATES = r"""
#ifdef __cplusplus
template <typename E> inline void axpy(E *restrict y, const E *restrict x, E a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
#endif
"""

ARGUMENTS = {"y": "b0_T", "x": "b1_T", "a": "b2_T", "b": "b3_T", "c": "b4_T"}


def _filled(text, element, counter):
    text = text.replace("return_T(", "kept_T = (")
    return re.sub(r"(?<![A-Za-z0-9])T\b|(?<=_)T\b", element, re.sub(r"\bI\b", counter, text))


class Loop:
    """One function of the program: a row for one type and one counter."""

    def __init__(self, row, element, counter, is_never):
        short = counter.replace("unsigned", "u").replace("signed ", "s").replace(" ", "").replace("size_t", "size")
        self.name = f"{row.name}_{element}" + (f"_{short}" if len(row.counters) > 1 else "")
        self.row, self.element, self.counter, self.is_never = row, element, counter, is_never
        self.variable = row.variable
        self.touches = {_filled(k, element, counter): v for k, v in row.touches.items()}

    def definition(self):
        row = self.row
        return _filled(f"FUNCTION void NAME({row.parameters}) {{\n  {row.body}\n}}\n", self.element, self.counter).replace("NAME", self.name)

    def parameters(self):
        """The parameters' names."""
        return [re.sub(r"\(&(\w+)\)\[.*", r"\1", p).split()[-1].lstrip("*&") for p in self.row.parameters.split(",")]

    def call(self):
        call = self.row.call
        if call is None:
            count = min(N, {"signed char": 100, "unsigned char": 100}.get(self.counter, N))
            call = ", ".join(n if n in ARGUMENTS else str(count) if n == "n" else "5" for n in self.parameters())
        call = ", ".join(ARGUMENTS.get(a.strip(), re.sub(r"\)([yxabc])$", lambda m: ")" + ARGUMENTS[m[1]], a.strip())) for a in call.split(","))
        return f"  {self.name}({_filled(call, self.element, self.counter)});\n"


def loops(language, only=None, elements=ALL):
    """The loops of a program; only: names of rows, None for all."""
    return [Loop(row, element, counter, row in NEVER) for row in ROWS + NEVER if row.language == language and (only is None or row.name in only)
            for element in row.types if element in elements for counter in row.counters]


def program(chosen):
    """The text of a program of those loops."""
    elements = sorted({loop.element for loop in chosen} | {"i8", "i32", "f32", "f64"})
    out = [HEADER, *(_filled(OF_TYPE, e, "int").replace("ELEMENT", ELEMENTS[e]) for e in elements), TEMPLATES, *(loop.definition() for loop in chosen)]
    out.append("int main(void) {\n  for (int k = 0; k < SIZE; k++) places[k] = k * 7 % 1000;\n")
    for element in elements:
        out.append(f"  prepare_{element}();\n")
    return "".join(out + [loop.call() for loop in chosen]) + "  return 0;\n}\n"
