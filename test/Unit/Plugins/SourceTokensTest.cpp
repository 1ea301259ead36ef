//===-- SourceTokensTest.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a kernel's source keep their value, and what it is.
//===----------------------------------------------------------------------===//

#include "SymbolFile/LaneDWARF/SourceTokens.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;

/// Computes the variable `v` of `int v = TEXT;`, where n is -7, u is 3u, and
/// blockIdx.x is 5u.
static std::string Compute(const std::string &text) {
  const SourceTokens tokens("int v = " + text + ";");
  auto initialiser = tokens.FindInitialiser("v", 1);
  if (!initialiser)
    return "not found";
  auto value = tokens.Evaluate(
      *initialiser, [](llvm::StringRef name) -> std::optional<SourceInteger> {
        if (name == "n")
          return SourceInteger::Make(uint64_t(-7), 4, true);
        if (name == "u")
          return SourceInteger::Make(3, 4, false);
        if (name == "blockIdx.x")
          return SourceInteger::Make(5, 4, false);
        return std::nullopt;
      });
  if (!value)
    return "none";
  return (value->is_signed ? std::to_string(int64_t(value->bits))
                           : std::to_string(value->bits) + "u") +
         (value->size == 8 ? "l" : "");
}

TEST(SourceTokens, ComputesAsCPlusPlus) {
  EXPECT_EQ(Compute("1 + 2 * 3"), "7");
  EXPECT_EQ(Compute("(1 + 2) * 3 - -4"), "13");
  EXPECT_EQ(Compute("blockIdx.x * 16 + 1"), "81u");
  EXPECT_EQ(Compute("n / 2"), "-3");
  EXPECT_EQ(Compute("n % 4"), "-3");
  EXPECT_EQ(Compute("n >> 1"), "-4");
  EXPECT_EQ(Compute("n + u"), "4294967292u");
  EXPECT_EQ(Compute("n < u"), "0");
  EXPECT_EQ(Compute("n + 0l"), "-7l");
  EXPECT_EQ(Compute("0x80000000"), "2147483648u");
  EXPECT_EQ(Compute("2147483648"), "2147483648l");
  EXPECT_EQ(Compute("1'000u"), "1000u");
  EXPECT_EQ(Compute("(unsigned)n >> 28"), "15u");
  EXPECT_EQ(Compute("static_cast<size_t>(u) << 33"), "25769803776ul");
  EXPECT_EQ(Compute("1 << 2 | 1"), "5");
  EXPECT_EQ(Compute("!n || u == 3 && ~0 == -1"), "1");
}

TEST(SourceTokens, RefusesWhatIsntIntegerArithmetic) {
  EXPECT_EQ(Compute("f(1)"), "none");
  EXPECT_EQ(Compute("a[1]"), "none");
  EXPECT_EQ(Compute("1.5"), "none");
  EXPECT_EQ(Compute("unknown + 1"), "none");
  EXPECT_EQ(Compute("1 / (u - 3)"), "none");
  EXPECT_EQ(Compute("1 << 32"), "none");
  EXPECT_EQ(Compute("u ? 1 : 2"), "none");
  EXPECT_EQ(Compute("this->u"), "none");
  EXPECT_EQ(Compute("ns::u"), "none");
  EXPECT_EQ(Compute("blockIdx.y"), "none");
  EXPECT_EQ(Compute("(1"), "not found");
}

namespace {
/// `byValue` takes a value, `byReference` a value and a reference.
class Functions : public SourceFunctions {
  bool TakeValue(llvm::StringRef name, size_t index) override {
    return name == "byValue" || (name == "byReference" && index == 0);
  }
};
} // namespace

/// Whether `v`, declared at line 2 before \a text in a block, may change.
static bool MayChange(const std::string &text,
                      const std::string &declaration = "int v = n;",
                      bool is_pointer = false) {
  const SourceTokens tokens("void k(int n) {\n" + declaration + "\n" + text +
                            "\n}\nvoid other() { v = 1; }\n");
  Functions functions;
  return tokens.MayChange("v", 2, is_pointer, functions);
}

TEST(SourceTokens, SeesWhatDoesntChange) {
  EXPECT_FALSE(MayChange("y[v] = v * 2;"));
  EXPECT_FALSE(MayChange("if (v == 3) { x = v; } // v = 1"));
  EXPECT_FALSE(MayChange("a.v = 1; p->v++;"));
  EXPECT_FALSE(MayChange("y[0] = sqrtf(v) + min(v, 3) + (v);"));
  EXPECT_FALSE(MayChange("f(v + 1, \"v = 1\");"));
  EXPECT_FALSE(MayChange("return v;"));
  EXPECT_FALSE(MayChange("auto f = [&](int x) { return x + v; };"));
  EXPECT_FALSE(MayChange("x = v.x + v.y;", "uint2 v = n;"));
  EXPECT_FALSE(MayChange("int a[3] = {v, v * 2, v};"));
  EXPECT_FALSE(MayChange("unsigned a[2][2] = {v, 1, 2, 3};"));
  EXPECT_FALSE(
      MayChange("auto f = [=](int x, int w) { return w + v; }; f(1, v);"));
}

TEST(SourceTokens, DoubtsWhatMayChange) {
  EXPECT_TRUE(MayChange("v = 1;"));
  EXPECT_TRUE(MayChange("while (x) { v += 1; }"));
  EXPECT_TRUE(MayChange("++v;"));
  EXPECT_TRUE(MayChange("v--;"));
  EXPECT_TRUE(MayChange("int *p = &v;"));
  EXPECT_TRUE(MayChange("int &r = v;"));
  EXPECT_TRUE(MayChange("auto &r(v);"));
  EXPECT_TRUE(MayChange("auto &r{v};"));
  EXPECT_TRUE(MayChange("swap(v, w);"));
  EXPECT_TRUE(MayChange("auto f = [&] { v = g(); };"));
  EXPECT_TRUE(MayChange("auto f = [&v] { g(); };"));
  EXPECT_TRUE(MayChange("auto f = [&](int x) { swap(v, x); };"));
  EXPECT_TRUE(MayChange("auto f = [](int w, int &x) { x = 1; }; f(1, v);"));
  EXPECT_TRUE(MayChange("auto f = [](auto... x) { g(x...); }; f(v);"));
  EXPECT_TRUE(MayChange("Refs a[3] = {v, 2};"));
  EXPECT_TRUE(MayChange("Ref a = {v};"));
  EXPECT_TRUE(MayChange("{ int v = 2; }"));
  EXPECT_TRUE(MayChange("v.x = 1;", "uint2 v = n;"));
  EXPECT_TRUE(MayChange("v.clear();", "uint2 v = n;"));
  EXPECT_TRUE(MayChange("asm(\"\" : \"+v\"(v));"));
  EXPECT_TRUE(MayChange("x = v;", "int &v = n;"));
  EXPECT_TRUE(MayChange("x = v;", "int v = 1; if (n) { int v = 2; }"));
  EXPECT_TRUE(MayChange("#define CHANGE v = 1\nCHANGE;"));
}

TEST(SourceTokens, AParameterBelongsToTheWholeFunction) {
  const SourceTokens tokens("__global__ void first(int n,\n"
                            "                      int m) {\n"
                            "  for (int i = 0; i < n; ++i) {}\n"
                            "  m += n;\n"
                            "}\n"
                            "void second(int n) { n = 1; }\n");
  Functions functions;
  EXPECT_FALSE(tokens.MayChange("n", 1, false, functions));
  EXPECT_TRUE(tokens.MayChange("m", 2, false, functions));
  EXPECT_TRUE(tokens.MayChange("n", 6, false, functions));
  EXPECT_TRUE(tokens.MayChange("i", 3, false, functions));
}

TEST(SourceTokens, AsksWhetherFunctionsTakeValues) {
  EXPECT_FALSE(MayChange("byValue(1, v);"));
  EXPECT_FALSE(MayChange("byValue<Size>(1, v);"));
  EXPECT_TRUE(MayChange("byReference<Size, 3>(1, v);"));
  EXPECT_FALSE(MayChange("byReference(v, byValue(2, v));"));
  EXPECT_TRUE(MayChange("byReference(1, v);"));
  EXPECT_TRUE(MayChange("byReference(f(1, 2), v);"));
  EXPECT_TRUE(MayChange("#define byValue(a, b) b = a\nbyValue(1, v);"));
}

TEST(SourceTokens, APointerIsntItsElements) {
  auto may_change = [](const std::string &text) {
    return MayChange(text, "float *v = p;", /*is_pointer=*/true);
  };
  EXPECT_FALSE(may_change("v[3] = v[4]++;"));
  EXPECT_FALSE(may_change("*v = 2; x = *v + 1; (*v)++; return *v;"));
  EXPECT_FALSE(may_change("v->x = 1; byValue(&v[3]);"));
  EXPECT_TRUE(may_change("*v++ = 2;"));
  EXPECT_TRUE(may_change("v += 2;"));
  EXPECT_TRUE(may_change("float **q = &v;"));
  EXPECT_TRUE(may_change("{ float *v = q; }"));
  EXPECT_TRUE(MayChange("v[3] = 1;", "float v = p;"));
}

/// The argument \a index of the call of f at the column of `f`, or of `at`.
static std::string FindArgument(const std::string &line, size_t index,
                                const std::string &at = "f", size_t count = 2) {
  const SourceTokens tokens("// f(\n" + line + "\n");
  auto found =
      tokens.FindArgument(2, unsigned(line.find(at) + 1), "f", index, count);
  return found ? tokens.GetText(*found) : "none";
}

TEST(SourceTokens, FindsTheArgumentsOfACall) {
  EXPECT_EQ(FindArgument("  x = f(a + 1, b);", 0), "a + 1");
  EXPECT_EQ(FindArgument("  x = f(a + 1, b);", 1), "b");
  EXPECT_EQ(FindArgument("x = y + f(g(a, b), c[d, e]) + f(1, 2);", 1),
            "c[d, e]");
  EXPECT_EQ(FindArgument("y.f(a)", 0), "a");
  EXPECT_EQ(FindArgument("/* f */ ns::f<int, 3>(a, b)", 1, "ns"), "b");
  EXPECT_EQ(FindArgument("f(a < b, c)", 1), "c");
  EXPECT_EQ(FindArgument("f(\n a,\n b)", 1), "b");
  EXPECT_EQ(FindArgument("f(a)", 1), "none");
  EXPECT_EQ(FindArgument("f(a, b, c)", 1), "none");
  EXPECT_EQ(FindArgument("f(g<a, b>(1))", 1), "none");
  EXPECT_EQ(FindArgument("f(a, b", 0), "none");
  EXPECT_EQ(FindArgument("g(a, b)", 0, "g"), "none");
  EXPECT_EQ(FindArgument("x = f(a, b);", 0, "="), "none");
  EXPECT_EQ(FindArgument("f(a < b, c > (d))", 0), "none");
}

TEST(SourceTokens, SeesFunctionsThatMayCallThemselves) {
  const SourceTokens tokens(
      "int once(int n) { return n; }\n"
      "int again(int n) { return n ? again(n - 1) : 1; }\n"
      "int even(int n);\n"
      "int odd(int n) { return n ? even(n - 1) : 0; }\n"
      "int even(int n) { return n ? odd(n - 1) : 1; }\n"
      "int main() { return once(1) + again(2); }\n");
  EXPECT_FALSE(tokens.MayCallItself("once"));
  EXPECT_TRUE(tokens.MayCallItself("again"));
  EXPECT_TRUE(tokens.MayCallItself("odd"));
  EXPECT_TRUE(tokens.MayCallItself("even"));
  EXPECT_FALSE(tokens.MayCallItself("main"));
}

TEST(SourceTokens, ReadsNamesNumbersAndElements) {
  auto read = [](const std::string &text) {
    const SourceTokens tokens("int v = " + text + ";");
    auto initialiser = tokens.FindInitialiser("v", 1);
    if (!initialiser)
      return std::string("not found");
    if (auto number = tokens.GetFloat(*initialiser))
      return std::to_string(&number->getSemantics() ==
                                    &llvm::APFloat::IEEEsingle()
                                ? number->convertToFloat()
                                : number->convertToDouble());
    if (auto name = tokens.GetName(*initialiser))
      return name->str();
    if (auto element = tokens.GetElement(*initialiser))
      return element->first.str() + " " + tokens.GetText(element->second);
    return std::string("none");
  };
  EXPECT_EQ(read("1.5f"), "1.500000");
  EXPECT_EQ(read("-2e1"), "-20.000000");
  EXPECT_EQ(read("2"), "none");
  EXPECT_EQ(read("1.5 + 1"), "none");
  EXPECT_EQ(read("0x1p3f"), "none");
  EXPECT_EQ(read("n"), "n");
  EXPECT_EQ(read("p + 2 * n"), "p 2 * n");
  EXPECT_EQ(read("&p[n + 1]"), "p n + 1");
  EXPECT_EQ(read("&p"), "none");
  EXPECT_EQ(read("p - 1"), "none");
  EXPECT_EQ(read("p[1]"), "none");
}

/// "TYPE NAME [COUNT]...; ..."
static std::string
Format(const std::vector<SourceTokens::DynamicArray> &arrays) {
  std::string text;
  for (const SourceTokens::DynamicArray &array : arrays) {
    for (const std::string &word : array.type)
      text += word + " ";
    text += array.name;
    for (uint64_t count : array.counts)
      text += " [" + std::to_string(count) + "]";
    text += ";";
  }
  return text;
}

TEST(SourceTokens, FindsDynamicArrays) {
  const SourceTokens tokens(
      "#include \"own.h\"\n"
      "#include <vector>\n"
      "extern __shared__ float pool[];\n"
      "namespace ns { __shared__ extern const unsigned char bytes[]; }\n"
      "struct S { int pool; };\n"
      "__global__ void first(S *s) {\n"
      "  extern __shared__ __align__(16) ns::T tile[][4][2 * 8];\n"
      "  __shared__ int fixed[4];\n"
      "  { HIP_DYNAMIC_SHARED(double, items) items[0] = s->pool; }\n"
      "}\n"
      "__device__ int second(int n); // pool\n"
      "__device__ int second(int n) { return pool[n]; }\n"
      "__device__ int third() { extern __shared__ int given[4]; return 0; }\n"
      "__device__ void cut() { extern __shared__ int");
  EXPECT_EQ(Format(tokens.FindDynamicArrays("", 0)),
            "float pool;unsigned char bytes;");
  EXPECT_EQ(Format(tokens.FindDynamicArrays("first", 6)),
            "ns :: T tile [4] [16];double items;");
  EXPECT_EQ(Format(tokens.FindDynamicArrays("second", 11)), "");
  EXPECT_EQ(Format(tokens.FindDynamicArrays("third", 13)), "");
  EXPECT_EQ(Format(tokens.FindDynamicArrays("cut", 14)), "");
  EXPECT_FALSE(tokens.Uses("first", 6, "pool"));
  EXPECT_FALSE(tokens.Uses("second", 11, "pool"));
  EXPECT_TRUE(tokens.Uses("second", 12, "pool"));
  EXPECT_EQ(tokens.GetIncludes(), std::vector<std::string>{"own.h"});
}
