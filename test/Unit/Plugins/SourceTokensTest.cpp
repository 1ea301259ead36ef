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

/// Whether `v`, declared at line 2 before \a text in a block, may change.
static bool MayChange(const std::string &text,
                      const std::string &declaration = "int v = n;") {
  const SourceTokens tokens("void k(int n) {\n" + declaration + "\n" + text +
                            "\n}\nvoid other() { v = 1; }\n");
  return tokens.MayChange("v", 2);
}

TEST(SourceTokens, SeesWhatDoesntChange) {
  EXPECT_FALSE(MayChange("y[v] = v * 2;"));
  EXPECT_FALSE(MayChange("if (v == 3) { x = v; } // v = 1"));
  EXPECT_FALSE(MayChange("a.v = 1; p->v++;"));
  EXPECT_FALSE(MayChange("y[0] = sqrtf(v) + min(v, 3) + (v);"));
  EXPECT_FALSE(MayChange("f(v + 1, \"v = 1\");"));
  EXPECT_FALSE(MayChange("return v;"));
  EXPECT_FALSE(MayChange("x = v.x + v.y;", "uint2 v = n;"));
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
  EXPECT_TRUE(MayChange("auto f = [&] { g(); };"));
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
  EXPECT_FALSE(tokens.MayChange("n", 1));
  EXPECT_TRUE(tokens.MayChange("m", 2));
  EXPECT_TRUE(tokens.MayChange("n", 6));
  EXPECT_TRUE(tokens.MayChange("i", 3));
}
