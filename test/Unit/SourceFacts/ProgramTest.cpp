//===-- ProgramTest.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a kernel's source keep their value, and what it is.
//===----------------------------------------------------------------------===//

#include "wavelane/SourceFacts/Program.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::source;

namespace {
class ProgramTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("source-facts", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  std::string write(StringRef Name, StringRef Text) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    std::error_code Error;
    raw_fd_ostream(Path, Error) << Text;
    return std::string(Path);
  }

  /// Reads a kernel's file; what it is depends on no header.
  Expected<std::unique_ptr<Program>> read(StringRef Text, bool IsKnown = true) {
    Request From;
    From.How = {
        {"/usr/bin/clang++", "-nogpuinc"}, std::string(Folder), IsKnown};
    From.File = write("a.hip", ("#define __global__ __attribute__((global))\n"
                                "#define __device__ __attribute__((device))\n"
                                "#define __shared__ __attribute__((shared))\n"
                                "#line 1\n" +
                                Text)
                                   .str());
    From.GPU = "gfx90a";
    From.ResourceFolder = RESOURCE_FOLDER;
    From.IsAsCompiled = [this](StringRef, StringRef) { return !HasChanged; };
    return Program::read(From);
  }

  /// The value of `v`, where n is -7 and u is 3.
  std::string compute(StringRef Type, StringRef Initializer) {
    auto Read = read(("__global__ void k(int n, unsigned u, char c, long l, "
                      "float *p) {\n" +
                      Type + " v = " + Initializer + ";\n}")
                         .str());
    if (!Read)
      return toString(Read.takeError());
    const Function *K = (*Read)->find("_Z1kijclPf");
    const Variable *V = K ? K->find("v", 2) : nullptr;
    if (!V || !V->Initializer)
      return "none";
    auto Value = evaluate(*V->Initializer,
                          [](const Expression &Leaf) -> std::optional<Bytes> {
                            uint64_t Bits = Leaf.Name == "n"   ? uint64_t(-7)
                                            : Leaf.Name == "u" ? 3
                                            : Leaf.Name == "c" ? uint64_t(-2)
                                            : Leaf.Name == "p" ? 0x1000
                                                               : 1l << 40;
                            Bytes Result(Leaf.Type.Size);
                            for (uint8_t &Byte : Result) {
                              Byte = uint8_t(Bits);
                              Bits >>= 8;
                            }
                            return Result;
                          });
    if (!Value)
      return "undefined";
    uint64_t Bits = 0;
    for (size_t I = Value->size(); I-- > 0;)
      Bits = Bits << 8 | (*Value)[I];
    const unsigned Unused = 64 - 8 * unsigned(Value->size());
    return V->Type.K == ValueType::Kind::Signed
               ? std::to_string(int64_t(Bits << Unused) >> Unused)
               : std::to_string(Bits);
  }

  bool HasChanged = false;
  SmallString<128> Folder;
};
} // namespace

TEST_F(ProgramTest, ComputesAsCPlusPlus) {
  EXPECT_EQ(compute("int", "(1 + 2) * 3 - -4"), "13");
  EXPECT_EQ(compute("int", "n / 2"), "-3");
  EXPECT_EQ(compute("int", "n % 4"), "-3");
  EXPECT_EQ(compute("int", "n >> 1"), "-4");
  EXPECT_EQ(compute("unsigned", "n + u"), "4294967292");
  EXPECT_EQ(compute("long", "n + u"), "4294967292");
  EXPECT_EQ(compute("bool", "n < u"), "0");
  EXPECT_EQ(compute("long", "n + 0l"), "-7");
  EXPECT_EQ(compute("int", "c * 2"), "-4");
  EXPECT_EQ(compute("unsigned char", "n"), "249");
  EXPECT_EQ(compute("int", "l"), "0");
  EXPECT_EQ(compute("long", "(long)u << 33"), "25769803776");
  EXPECT_EQ(compute("int", "n < 0 ? -n : n"), "7");
  EXPECT_EQ(compute("bool", "!n || (u == 3 && ~0 == -1)"), "1");
  EXPECT_EQ(compute("int", "sizeof(long) * 2 + 'a'"), "113");
  EXPECT_EQ(compute("float", "u"), "1077936128");
  EXPECT_EQ(compute("float *", "p + u"), "4108");
  EXPECT_EQ(compute("float *", "&p[n]"), "4068");
}

TEST_F(ProgramTest, RefusesWhatHasNoValueOfItsOwn) {
  EXPECT_EQ(compute("float", "p[1]"), "none");
  EXPECT_EQ(compute("float", "u * 1.5f"), "none");
  EXPECT_EQ(compute("int", "n++"), "none");
  EXPECT_EQ(compute("int", "0x7fffffff - n"), "undefined");
  EXPECT_EQ(compute("int", "1 / (u - 3)"), "undefined");
  EXPECT_EQ(compute("int", "1 << (u + 29)"), "undefined");
}

TEST_F(ProgramTest, ReportsWhatIsWritten) {
  auto Read = read(R"(
__device__ void take(int &a) { ++a; }
__global__ void k(int n, int *out) {
  int a = n, b = n, c = n, d = n, e = n, f = n, g = n;
  ++a;
  take(b);
  auto change = [&] { c = 1; };
  change();
  int *p = &d;
  asm volatile("" : "+v"(e));
  auto look = [&] { return f; };
  out[0] = look() + g + *p;
  { int g = 1; g = 2; out[1] = g; }
}
)");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  const Function *K = (*Read)->find("_Z1kiPi");
  ASSERT_TRUE(K);
  std::string Written;
  for (const char *Name : {"a", "b", "c", "d", "e", "f", "g"})
    if (const Variable *V = K->find(Name, 4); !V || V->IsWritten)
      Written += Name;
  EXPECT_EQ(Written, "abcde");
  EXPECT_TRUE(K->find("g", 13)->IsWritten);
  EXPECT_FALSE(K->find("n", 3)->IsWritten);
}

// A reference to a constant lets nothing change, unless const is cast away.
TEST_F(ProgramTest, BelievesConstUnlessItIsCastAway) {
  const char *Text = R"(
__device__ const int &least(const int &a, const int &b) {
  return a < b ? a : b;
}
__global__ void k(int n, int *out) {
  int a = n;
  out[0] = least(a, 3);
}
)";
  auto Read = read(Text);
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_FALSE((*Read)->find("_Z1kiPi")->find("a", 6)->IsWritten);
  for (const char *Cast :
       {"const_cast<int &>(x) = 1;", "*const_cast<int *>(&x) = 1;",
        "(int &)x = 1;", "*(int *)&x = 1;", "*(int *)(long)&x = 1;",
        "asm volatile(\"\" : : \"v\"(&x) : \"memory\");"}) {
    auto Other = read(Text + ("__device__ void f(const int &x) { " +
                              std::string(Cast) + " }"));
    ASSERT_TRUE(bool(Other)) << Cast << toString(Other.takeError());
    EXPECT_TRUE((*Other)->find("_Z1kiPi")->find("a", 6)->IsWritten) << Cast;
  }
}

TEST_F(ProgramTest, FindsCallsAndRecursion) {
  auto Read = read(R"(
__device__ int down(int n) { return n ? down(n - 1) : 0; }
__device__ int once(int n) { return n + 1; }
__global__ void k(int *out) { out[0] = once(3) + down(4); }
)");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  EXPECT_TRUE((*Read)->find("_Z4downi")->MayRepeat);
  EXPECT_FALSE((*Read)->find("_Z4oncei")->MayRepeat);
  const Function *K = (*Read)->find("_Z1kPi");
  ASSERT_TRUE(K);
  ASSERT_EQ(K->Calls.size(), 2u);
  for (const Call &One : K->Calls)
    if (One.Callee == "_Z4oncei") {
      EXPECT_EQ(One.Line, 4u);
      EXPECT_EQ(One.Column, 40u);
      EXPECT_TRUE(One.Arguments.at(0));
    }
}

TEST_F(ProgramTest, FindsDynamicArrays) {
  auto Read = read(R"(
struct Pair { int a; };
extern __shared__ Pair pairs[];
template <class T> __global__ void k(T *out) {
  extern __shared__ T tile[][16];
  static __shared__ T fixed[4];
  out[0] = tile[1][2] + fixed[0];
}
template __global__ void k<float>(float *);
__global__ void other(int *out) { out[0] = pairs[0].a; }
)");
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  const Function *K = (*Read)->find("_Z1kIfEvPT_");
  ASSERT_TRUE(K);
  ASSERT_EQ(K->Arrays.size(), 1u);
  EXPECT_EQ(K->Arrays[0].Name, "tile");
  EXPECT_EQ(K->Arrays[0].Type, "float");
  EXPECT_EQ(K->Arrays[0].Counts, std::vector<uint64_t>{16});
  EXPECT_TRUE((*Read)->isShared("fixed", 6));
  ASSERT_EQ((*Read)->find("_Z5otherPi")->Arrays.size(), 1u);
  EXPECT_EQ((*Read)->find("_Z5otherPi")->Arrays[0].Type, "Pair");
}

TEST_F(ProgramTest, SaysNothingOfWhatIsntCertain) {
  EXPECT_NE(toString(read("__global__ void k() { x = 1; }").takeError())
                .find("a.hip:1: use of undeclared identifier 'x'"),
            std::string::npos);
  HasChanged = true;
  EXPECT_NE(toString(read("__global__ void k() {}").takeError())
                .find("has changed since the program was compiled"),
            std::string::npos);
}

// A macro that the source asks for may be the command's.
TEST_F(ProgramTest, NeedsTheCommandIfItDecides) {
  const char *Asks = "#ifndef TILE\n#define TILE 32\n#endif\n"
                     "__global__ void k() { int n = TILE; }";
  EXPECT_NE(toString(read(Asks, /*IsKnown=*/false).takeError())
                .find("depends on the macro TILE"),
            std::string::npos);
  EXPECT_TRUE(bool(read(Asks)));
  write("guarded.h", "#ifndef GUARD\n#define GUARD\n#define N 3\n#endif\n");
  auto Guarded = read("#include \"guarded.h\"\n#if N > 2\n"
                      "__global__ void k() { int n = N; }\n#endif",
                      /*IsKnown=*/false);
  EXPECT_TRUE(bool(Guarded)) << toString(Guarded.takeError());
}
