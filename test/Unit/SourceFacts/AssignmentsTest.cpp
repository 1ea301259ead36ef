//===-- AssignmentsTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which assignments to `v` a line may see. The lines of the texts are numbered
// from 1.
//===----------------------------------------------------------------------===//

#include "wavelane/SourceFacts/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <functional>

using namespace llvm;
using namespace wavelane::source;

namespace {
class AssignmentsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assignments", Folder));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  /// Reads the body of a function; its first line is 2.
  void read(StringRef Body, StringRef Parameters = "int n") {
    Request From;
    From.How = {{"/usr/bin/clang++", "-nogpuinc"}, std::string(Folder), true};
    SmallString<128> Path(Folder);
    sys::path::append(Path, "a.hip");
    {
      std::error_code Error;
      raw_fd_ostream(Path, Error)
          << "struct S { int a, b; unsigned c : 3, d : 5; };\n"
             "void take(int &), take(int *);\n"
             "#line 1\nvoid f("
          << Parameters << ") {\n"
          << Body << "\n}\n";
    }
    From.File = std::string(Path);
    From.GPU = "gfx90a";
    From.ResourceFolder = RESOURCE_FOLDER;
    From.IsAsCompiled = [](StringRef, StringRef) { return true; };
    auto Read = Program::read(From);
    ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
    Known = std::move(*Read);
    V = nullptr;
    for (const char *Name : {"_Z1fi", "_Z1fiPi"})
      if (const Function *F = Known->find(Name))
        for (const AssignedVariable &One : F->Assigned)
          if (One.Name == "v" || One.Name == Parameter)
            V = &One;
  }

  /// The lines of the assignments that a line may see: 0 for what is passed,
  /// and with a minus for a declaration without a value.
  std::vector<int> last(unsigned Line,
                        std::optional<BitRange> Part = {}) const {
    std::vector<int> Lines;
    const SmallBitVector *Last =
        V ? V->findLast(Part.value_or(BitRange{0, V->Size}), Line) : nullptr;
    if (!Last)
      return {-1000};
    for (unsigned I : Last->set_bits()) {
      const Assignment &A = V->Assignments[I];
      Lines.push_back(A.K == Assignment::Kind::Undefined ? -int(A.Begin.Line)
                                                         : int(A.Begin.Line));
    }
    llvm::sort(Lines);
    return Lines;
  }

  SmallString<128> Folder;
  std::unique_ptr<Program> Known;
  const AssignedVariable *V = nullptr;
  std::string Parameter = "p";
};
using Lines = std::vector<int>;
} // namespace

TEST_F(AssignmentsTest, OneAfterTheOther) {
  read("int v = 1;\n" // 2
       "n += v;\n"    // 3
       "v = n * 2;\n" // 4
       "n += v;\n"    // 5
       "++v;\n"       // 6
       "return;");    // 7
  EXPECT_EQ(last(3), Lines({2}));
  EXPECT_EQ(last(4), Lines({2, 4}));
  EXPECT_EQ(last(5), Lines({4}));
  EXPECT_EQ(last(7), Lines({6}));
  EXPECT_EQ(last(9), Lines({-1000}));
  EXPECT_TRUE(V->IsComplete);
  EXPECT_EQ(V->Assignments[0].findConstant({0, 32}), uint64_t(1));
  EXPECT_FALSE(V->Assignments[1].findConstant({0, 32}));
  EXPECT_EQ(V->findAt({0, 32}, {4, 7}), 1u);
  EXPECT_FALSE(V->findAt({0, 32}, {4, 30}));
  EXPECT_FALSE(V->findAt({0, 32}, {5, 1}));
}

TEST_F(AssignmentsTest, OnAllPaths) {
  read("int v;\n"         // 2
       "if (n)\n"         // 3
       "  v = 3;\n"       // 4
       "n = v;\n"         // 5
       "if (n)\n"         // 6
       "  v = 4;\n"       // 7
       "else\n"           // 8
       "  v = 5;\n"       // 9
       "n = v;\n"         // 10
       "for (;n;--n) {\n" // 11
       "  n ^= v;\n"      // 12
       "  v *= 3;\n"      // 13
       "  n ^= v;\n"      // 14
       "}\n"              // 15
       "n = v;");         // 16
  EXPECT_EQ(last(5), Lines({-2, 4}));
  EXPECT_EQ(last(10), Lines({7, 9}));
  EXPECT_EQ(last(12), Lines({7, 9, 13}));
  EXPECT_EQ(last(14), Lines({13}));
  EXPECT_EQ(last(16), Lines({7, 9, 13}));
}

TEST_F(AssignmentsTest, Parameters) {
  Parameter = "n";
  read("int a = n;\n" // 2
       "n = 3;\n"     // 3
       "a = n;");     // 4
  EXPECT_EQ(last(2), Lines({0}));
  EXPECT_EQ(last(4), Lines({3}));
}

TEST_F(AssignmentsTest, Parts) {
  read("S v = {};\n" // 2
       "v.a = n;\n"  // 3
       "v.d = n;\n"  // 4
       "n = v.b;\n"  // 5
       "S w = v;\n"  // 6
       "v = w;\n"    // 7
       "n = v.b;");  // 8
  EXPECT_EQ(last(5, BitRange{0, 32}), Lines({3}));
  EXPECT_EQ(last(5, BitRange{32, 32}), Lines({2, 3, 4}));
  EXPECT_EQ(last(5, BitRange{67, 5}), Lines({4}));
  EXPECT_EQ(last(5), Lines({2, 3, 4}));
  EXPECT_EQ(last(8), Lines({7}));
  EXPECT_EQ(last(8, BitRange{0, 32}), Lines({7}));
  EXPECT_EQ(V->Assignments[0].findConstant({32, 32}), uint64_t(0));
}

TEST_F(AssignmentsTest, Elements) {
  read("int v[3] = {1};\n" // 2
       "v[1] = n;\n"       // 3
       "v[n] = 4;\n"       // 4
       "n = v[0];");       // 5
  EXPECT_EQ(last(5, BitRange{32, 32}), Lines({3, 4}));
  EXPECT_EQ(V->Assignments[0].findConstant({0, 32}), uint64_t(1));
  EXPECT_FALSE(V->Assignments[0].findConstant({0, 96}));
  EXPECT_FALSE(V->Assignments[1].IsUncertain);
  EXPECT_TRUE(V->Assignments[2].IsUncertain);
}

TEST_F(AssignmentsTest, ConstantsOfParts) {
  read("S v = {n, 7, 3, 2};\n" // 2
       "v = {1, n};\n"         // 3
       "n = v.a;");            // 4
  const Assignment &First = V->Assignments[0], &Second = V->Assignments[1];
  EXPECT_FALSE(First.findConstant({0, 32}));
  EXPECT_EQ(First.findConstant({32, 32}), uint64_t(7));
  EXPECT_EQ(First.findConstant({64, 3}), uint64_t(3));
  EXPECT_EQ(First.findConstant({67, 5}), uint64_t(2));
  EXPECT_FALSE(First.findConstant({32, 16}));
  EXPECT_FALSE(Second.findConstant({32, 32}));
}

TEST_F(AssignmentsTest, Escapes) {
  // A reference, or a pointer, can assign from there on.
  for (const char *Use :
       {"take(v.a);", "take(&v.a);", "int &r = v.a;",
        "int S::*m = &S::b; v.*m = 1;", "auto l = [&] { v.a = 4; };",
        "__builtin_memcpy(&v, &n, 4);"}) {
    read(("S v = {n, 7};\n" + std::string(Use) +
          "\nn = v.a;\nv.a = 3;\nn = v.a;")
             .c_str());
    ASSERT_TRUE(V) << Use;
    EXPECT_EQ(last(4, BitRange{0, 32}), Lines({0, 2})) << Use;
    EXPECT_EQ(last(6, BitRange{0, 32}), Lines({0, 5})) << Use;
    EXPECT_EQ(V->Assignments.back().K, Assignment::Kind::Escape) << Use;
  }
  // Of one member only.
  read("S v = {n, 7};\ntake(v.a);\nv.b = 4;\nn = v.a;");
  EXPECT_EQ(last(5, BitRange{32, 32}), Lines({4}));
  // Constant ones can't.
  read("int v = n;\nconst int &r = v;\nv = 3;\nn = v;");
  EXPECT_EQ(last(5), Lines({4}));
  read("int v = n;\nauto l = [&] { n = v; };\nv = 3;\nn = v;");
  EXPECT_EQ(last(5), Lines({4}));
}

TEST_F(AssignmentsTest, OtherWrites) {
  for (const char *Write :
       {"take(v);", "take(&v);", "int &r = v; r = 4;",
        "asm volatile(\"\" : \"+v\"(v));", "auto l = [&] { v = 4; }; l();",
        "__builtin_memcpy(&v, &n, 4);", "int *q = &v; *q = 3;"}) {
    read(("int v = 1;\nv = n;\n" + std::string(Write) + "\nn = v;").c_str());
    ASSERT_TRUE(V) << Write;
    EXPECT_FALSE(V->IsComplete) << Write;
    EXPECT_EQ(last(5), Lines({0, 3})) << Write;
  }
  for (const char *Read : {"auto l = [&] { return v; };", "n = (v += 2, v);",
                           "int a = 3; n = n ? v : a;", "(void)v;"}) {
    read(("int v = 1;\nv = n;\n" + std::string(Read)).c_str());
    EXPECT_TRUE(V->IsComplete) << Read;
  }
}

TEST_F(AssignmentsTest, Values) {
  // Of `n`, for which 5 was passed.
  auto At = [this](unsigned Line) -> std::optional<int> {
    std::function<std::optional<Bytes>(unsigned)> Compute =
        [&](unsigned I) -> std::optional<Bytes> {
      const std::optional<Expression> &Value = V->Assignments[I].Value;
      if (!Value)
        return std::nullopt;
      return evaluate(*Value,
                      [&](const Expression &Leaf) -> std::optional<Bytes> {
                        if (Leaf.Assignment)
                          return Leaf.Name == "v" ? Compute(*Leaf.Assignment)
                                                  : std::nullopt;
                        return Bytes{5, 0, 0, 0};
                      });
    };
    const std::optional<unsigned> Only = V ? V->findOnly(Line) : std::nullopt;
    const std::optional<Bytes> Value = Only ? Compute(*Only) : std::nullopt;
    return Value ? std::optional<int>((*Value)[0] | (*Value)[1] << 8)
                 : std::nullopt;
  };
  read("int v = n + 1;\n" // 2
       "take(n);\n"       // 3
       "v += 2;\n"        // 4
       "int a = v;\n"     // 5
       "v = v * v - a;\n" // 6
       "a = v;\n"         // 7
       "++v;\n"           // 8
       "a = v;\n"         // 9
       "if (a)\n"         // 10
       "  v = 3;\n"       // 11
       "a = v;\n"         // 12
       "v <<= 2;\n"       // 13
       "a = v;",          // 14
       "int n");
  EXPECT_EQ(At(5), 8);
  // `a` has more than one value, and one that isn't known.
  EXPECT_EQ(At(7), std::nullopt);
  EXPECT_EQ(At(12), std::nullopt);
  EXPECT_EQ(At(14), std::nullopt);
  read("short v = n;\n"           // 2
       "v *= 3;\n"                // 3
       "n ^= 1;\n"                // 4
       "v--;\n"                   // 5
       "for (;;) {\n"             // 6
       "  n -= v;\n"              // 7
       "  v >>= 1;\n"             // 8
       "  n += v;\n"              // 9
       "}");                      // 10
  EXPECT_EQ(At(4), std::nullopt); // `n` is assigned to
  read("short v = 7;\n"           // 2
       "v *= 3;\n"                // 3
       "n ^= 1;\n"                // 4
       "v--;\n"                   // 5
       "n = v;\n"                 // 6
       "for (;n;) {\n"            // 7
       "  n -= v;\n"              // 8
       "  v = 9;\n"               // 9
       "  n += v;\n"              // 10
       "}");                      // 11
  EXPECT_EQ(At(4), 21);
  EXPECT_EQ(At(6), 20);
  EXPECT_EQ(At(8), std::nullopt);
  EXPECT_EQ(At(10), 9);
}

TEST_F(AssignmentsTest, ConstantsByWayOfVariables) {
  read("int a = 3, b = n;\n" // 2
       "int c = 5;\n"        // 3
       "S v;\n"              // 4
       "v.a = c * 2;\n"      // 5
       "v.b = b;\n"          // 6
       "c = v.b;\n"          // 7
       "v.b = c;\n"          // 8
       "n = v.b;");          // 9
  EXPECT_EQ(V->Assignments[1].findConstant({0, 32}), uint64_t(10));
  EXPECT_FALSE(V->Assignments[2].findConstant({32, 32}));
  EXPECT_FALSE(V->Assignments[3].findConstant({32, 32}));
  // Each value is twice the one before it.
  std::string Body = "int v = 1;\n";
  for (int I = 0; I < 29; ++I)
    Body += "v = v + v;\n";
  read(Body + "n = v;");
  EXPECT_EQ(V->Assignments[29].findConstant({0, 32}), uint64_t(1) << 29);
}

TEST_F(AssignmentsTest, Steps) {
  read("for (int v = 0; v < n; ++v) {\n n ^= v;\n }");
  EXPECT_TRUE(V->mayAdd(1));
  EXPECT_TRUE(V->mayAdd(4)); // four rounds
  EXPECT_FALSE(V->mayAdd(-1));
  read("int v;\nfor (v = n; v > 0; v -= 2) {\n n ^= v;\n }");
  EXPECT_TRUE(V->mayAdd(-2));
  EXPECT_FALSE(V->mayAdd(-1));
  EXPECT_FALSE(V->mayAdd(2));
  for (const char *Other :
       {"v = v - 1;", "v ^= 1;", "v += n;", "take(v);", "v = (v += 3) + 4;"}) {
    read(("int v = 0;\nfor (; v < n; ++v) {\n" + std::string(Other) + "\n}")
             .c_str());
    EXPECT_TRUE(V->mayAdd(-1)) << Other;
  }
}

TEST_F(AssignmentsTest, Updates) {
  read("int v = 1;\n"     // 2
       "for (;n;--n) {\n" // 3
       "  n ^= v;\n"      // 4
       "  if (n > 3)\n"   // 5
       "    n += 2;\n"    // 6
       "  v += n;\n"      // 7
       "}\n"              // 8
       "v = 4;\n"         // 9
       "n = v;");         // 10
  const Function *F = Known->find("_Z1fi");
  const SmallBitVector Updates = V->findUpdates({0, 32}, F->Flow.Points.size());
  EXPECT_EQ(Updates.count(), 1u);
  EXPECT_FALSE(F->Flow.passes(4, 6, Updates));
  EXPECT_TRUE(F->Flow.passes(6, 4, Updates));
  // Without a round, or after the last one.
  EXPECT_FALSE(F->Flow.passes(2, 10, Updates));
  EXPECT_TRUE(F->Flow.passes(6, 10, Updates));
  // There is no way.
  EXPECT_FALSE(F->Flow.passes(10, 4, Updates));
  EXPECT_EQ(V->findConstants({0, 32}, F->Flow.Points.size()).count(), 2u);
}

TEST_F(AssignmentsTest, UpdatesInOtherWords) {
  auto Count = [&](const char *Body) {
    read(Body);
    return V->findUpdates({0, 32}, Known->find("_Z1fi")->Flow.Points.size())
        .count();
  };
  EXPECT_EQ(Count("int v = 1;\nv = 31 * v + n;\nn = v;"), 1u);
  EXPECT_EQ(Count("int v = 1;\nv = n ? n : -v;\nn = v;"), 1u);
  EXPECT_EQ(Count("int v = 1;\nv = n;\nn = v;"), 0u);
}
