// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception Breakpoints'
// conditions as the server gets them, in a function of Inputs/Conditions.cpp.
#include "SymbolFile/LaneDWARF/ConditionCompiler.h"
#include "Language/HIP/HIPBuiltins.h"
#include "SymbolFile/LaneDWARF/SymbolFileLaneDWARF.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/VariableList.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// The number of the source line that contains \p text.
uint32_t FindLine(llvm::StringRef text) {
  auto file = llvm::MemoryBuffer::getFile(CONDITIONS_SOURCE);
  if (!file)
    return 0;
  const llvm::StringRef source = (*file)->getBuffer();
  return uint32_t(source.take_front(source.find(text)).count('\n')) + 1;
}

class ConditionCompilerTest : public ::testing::Test {
public:
  static void SetUpTestSuite() {
    lldb::SBDebugger::Initialize();
    SymbolFileLaneDWARF::Initialize();
    InitializeHIPBuiltins();
    s_module_sp =
        std::make_shared<Module>(ModuleSpec(FileSpec(CONDITIONS_PROGRAM)));
    SymbolContextList found;
    s_module_sp->ResolveSymbolContextsForFileSpec(
        FileSpec("Conditions.cpp"), FindLine("// here"),
        /*check_inlines=*/false, lldb::eSymbolContextEverything, found);
    ASSERT_TRUE(found.GetSize());
    s_address = found[0].line_entry.range.GetBaseAddress();
  }
  static void TearDownTestSuite() {
    s_address = Address();
    s_module_sp.reset();
  }

  static llvm::Expected<llvm::json::Object> Compile(llvm::StringRef text) {
    llvm::Expected<ServerExpression> compiled =
        CompileForServer(text, s_address);
    if (!compiled)
      return compiled.takeError();
    return std::move(compiled->object);
  }

  /// The name of the value's type; empty if the compiler doesn't know it.
  static std::string Type(llvm::StringRef text) {
    llvm::Expected<ServerExpression> compiled =
        CompileForServer(text, s_address);
    if (!compiled)
      return llvm::toString(compiled.takeError());
    return compiled->type ? compiled->type.GetTypeName().GetCString() : "";
  }

  /// The tree for the server, or the error.
  static std::string Test(llvm::StringRef text) {
    llvm::Expected<llvm::json::Object> object = Compile(text);
    if (!object)
      return llvm::toString(object.takeError());
    return llvm::formatv("{0}", *object->get("test")).str();
  }

  /// The sizes in bytes of the variables that a condition reads, in order.
  static std::vector<uint64_t> Sizes(llvm::StringRef text) {
    std::vector<uint64_t> sizes;
    llvm::Expected<llvm::json::Object> object = Compile(text);
    if (!object) {
      ADD_FAILURE() << llvm::toString(object.takeError());
      return sizes;
    }
    for (const llvm::json::Value &variable : *object->getArray("variables")) {
      sizes.push_back(variable.getAsObject()->getInteger("size").value_or(0));
      EXPECT_FALSE(variable.getAsObject()->getString("expression")->empty());
    }
    return sizes;
  }

  static lldb::ModuleSP s_module_sp;
  static Address s_address;
};
lldb::ModuleSP ConditionCompilerTest::s_module_sp;
Address ConditionCompilerTest::s_address;

TEST_F(ConditionCompilerTest, VariablesAndNumbers) {
  EXPECT_EQ(Test("n == 3"), R"(["==","s4",["var","s4",0,0],["const","s4",3]])");
  EXPECT_EQ(Sizes("n == 3"), std::vector<uint64_t>{4});
  EXPECT_EQ(Test("wide"), R"(["var","s8",0,0])");
  EXPECT_EQ(Test("f > 1.5f"),
            R"([">","f4",["var","f4",0,0],["const","f4",1069547520]])");
  EXPECT_EQ(
      Test("d < 1e3"),
      R"(["<","f8",["var","f8",0,0],["const","f8",4652007308841189376]])");
  EXPECT_EQ(Test("flag"), R"(["var","u1",0,0])");
  EXPECT_EQ(
      Test("color == 1"),
      R"(["==","u4",["var","u4",0,0],["convert","u4",["const","s4",1]]])");
  // Each variable is read once.
  EXPECT_EQ(Sizes("n * n + wide * n"), (std::vector<uint64_t>{4, 8}));
}

TEST_F(ConditionCompilerTest, Constants) {
  EXPECT_EQ(Test("0x80000000"), R"(["const","u4",2147483648])");
  EXPECT_EQ(Test("2147483648"), R"(["const","s8",2147483648])");
  EXPECT_EQ(Test("1u"), R"(["const","u4",1])");
  EXPECT_EQ(Test("1ll"), R"(["const","s8",1])");
  EXPECT_EQ(Test("010"), R"(["const","s4",8])");
  EXPECT_EQ(Test("'a'"), R"(["const","s1",97])");
  EXPECT_EQ(Test("true"), R"(["const","u1",1])");
  EXPECT_EQ(Test("nullptr"), R"(["const","u8",0])");
}

TEST_F(ConditionCompilerTest, CsConversions) {
  // Small integers become int.
  EXPECT_EQ(Test("byte + flag"),
            R"(["+","s4",["convert","s4",["var","u1",0,0]],)"
            R"(["convert","s4",["var","u1",1,0]]])");
  // The wider type is used, and for equal sizes the unsigned one.
  EXPECT_EQ(Test("n < u"),
            R"(["<","u4",["convert","u4",["var","s4",0,0]],["var","u4",1,0]])");
  EXPECT_EQ(Test("u < wide"),
            R"(["<","s8",["convert","s8",["var","u4",0,0]],["var","s8",1,0]])");
  EXPECT_EQ(Test("n < f"),
            R"(["<","f4",["convert","f4",["var","s4",0,0]],["var","f4",1,0]])");
  EXPECT_EQ(Test("-byte"), R"(["neg","s4",["convert","s4",["var","u1",0,0]]])");
  // A shift has the type of its left side.
  EXPECT_EQ(
      Test("n << wide"),
      R"(["<<","s4",["var","s4",0,0],["convert","u8",["var","s8",1,0]]])");
  EXPECT_EQ(Test("(unsigned char)n"), R"(["convert","u1",["var","s4",0,0]])");
  EXPECT_EQ(Test("(uint64_t)n"), R"(["convert","u8",["var","s4",0,0]])");
  EXPECT_EQ(Test("(unsigned long long)n"),
            R"(["convert","u8",["var","s4",0,0]])");
}

TEST_F(ConditionCompilerTest, Precedence) {
  EXPECT_EQ(Test("1 + 2 * 3"),
            R"(["+","s4",["const","s4",1],)"
            R"(["*","s4",["const","s4",2],["const","s4",3]]])");
  EXPECT_EQ(Test("8 - 4 - 2"),
            R"(["-","s4",["-","s4",["const","s4",8],["const","s4",4]],)"
            R"(["const","s4",2]])");
  EXPECT_EQ(
      Test("1 || 2 && 3"),
      R"(["||",["const","s4",1],["&&",["const","s4",2],["const","s4",3]]])");
  EXPECT_EQ(Test("1 & 2 == 2"),
            R"(["&","s4",["const","s4",1],)"
            R"(["==","s4",["const","s4",2],["const","s4",2]]])");
  EXPECT_EQ(Test("n ? 1 : 2"),
            R"(["?","s4",["var","s4",0,0],["const","s4",1],["const","s4",2]])");
  EXPECT_EQ(Test("!(n)"), R"(["!",["var","s4",0,0]])");
}

TEST_F(ConditionCompilerTest, MembersAndElements) {
  EXPECT_EQ(Test("pair.first"), R"(["var","s2",0,0])");
  EXPECT_EQ(Test("pair.second"), R"(["var","s4",0,4])");
  EXPECT_EQ(Test("pair.numbers[2]"), R"(["var","s4",0,20])");
  EXPECT_EQ(Test("matrix[1][2]"), R"(["var","s4",0,20])");
  EXPECT_EQ(Sizes("matrix[1][2]"), std::vector<uint64_t>{24});
}

TEST_F(ConditionCompilerTest, Pointers) {
  EXPECT_EQ(Test("floats[n]"),
            R"(["read","f4",["+","u8",["var","u8",0,0],)"
            R"(["*","u8",["convert","u8",["convert","s8",["var","s4",1,0]]],)"
            R"(["const","u8",4]]]])");
  EXPECT_EQ(Test("*floats"), R"(["read","f4",["var","u8",0,0]])");
  EXPECT_EQ(Test("pairs->second"),
            R"(["read","s4",["+","u8",["var","u8",0,0],["const","u8",4]]])");
  EXPECT_EQ(Test("reference.second"),
            R"(["read","s4",["+","u8",["var","u8",0,0],["const","u8",4]]])");
  EXPECT_EQ(Test("number == 1"),
            R"(["==","s4",["read","s4",["var","u8",0,0]],["const","s4",1]])");
  EXPECT_EQ(Test("floats == nullptr"),
            R"(["==","u8",["var","u8",0,0],["const","u8",0]])");
}

TEST_F(ConditionCompilerTest, TheInnermostVariableCounts) {
  llvm::Expected<llvm::json::Object> inner = Compile("inner == 1");
  llvm::Expected<llvm::json::Object> outer = Compile("n == 1");
  ASSERT_TRUE(bool(inner) && bool(outer));
  // By where it is: the block's variable has a slot after the function's.
  const SymbolContext context = [] {
    SymbolContext sc;
    s_address.CalculateSymbolContext(&sc, lldb::eSymbolContextEverything);
    return sc;
  }();
  VariableList list;
  context.block->AppendVariables(
      /*can_create=*/true, /*get_parent_variables=*/true,
      /*stop_if_block_is_inlined_function=*/true,
      [](Variable *variable) { return variable->GetName() == "inner"; }, &list);
  ASSERT_EQ(list.GetSize(), 2u);
  DataExtractor location;
  ASSERT_TRUE(
      list.GetVariableAtIndex(0)->LocationExpressionList().GetExpressionData(
          location));
  EXPECT_EQ(*inner->getArray("variables")
                 ->front()
                 .getAsObject()
                 ->getString("expression"),
            llvm::toHex(location.GetData(), /*LowerCase=*/true));
}

TEST_F(ConditionCompilerTest, WhatTheWaveIs) {
  EXPECT_EQ(Test("threadIdx.x"), R"(["number","u4","item",0])");
  EXPECT_EQ(Test("blockIdx.y"), R"(["number","u4","group",1])");
  EXPECT_EQ(Test("blockDim.z"), R"(["number","u4","group_size",2])");
  EXPECT_EQ(Test("gridDim.x"), R"(["number","u4","groups",0])");
  EXPECT_EQ(Test("warpSize"), R"(["number","s4","lanes",0])");
  EXPECT_EQ(Test("$lane"), R"(["number","s4","lane",0])");
  EXPECT_EQ(Test("$dispatch"), R"(["number","s4","dispatch",0])");
  EXPECT_EQ(Test("$wave_in_group"), R"(["number","s4","wave_in_group",0])");
}

TEST_F(ConditionCompilerTest, TypesAreThoseOfCxx) {
  for (const auto &[text, type] : std::map<std::string, std::string>{
           {"n", "int"},
           {"n + 1u", "unsigned int"},
           {"n * 1l", "long"},
           {"n > 1", "bool"},
           {"!n", "bool"},
           {"n && f", "bool"},
           {"f * 2", "float"},
           {"floats", "float *"},
           {"floats[1]", "float"},
           {"&floats[1]", "float *"},
           {"threadIdx.x", "unsigned int"},
           // Left to LLDB.
           {"floats + 1", ""},
           {"(char)n", ""},
           {"+n", ""},
       })
    EXPECT_EQ(Type(text), type) << text;
}

TEST_F(ConditionCompilerTest, Addresses) {
  EXPECT_EQ(Test("&floats[0]"), Test("floats + 0"));
  EXPECT_EQ(Test("&*floats == floats"), Test("floats == floats"));
}

TEST_F(ConditionCompilerTest, WhatIsLeftToLLDB) {
  const std::string refused = "the server can't evaluate ";
  for (const auto &[text, reason] : std::map<std::string, std::string>{
           {"&n", "the address of something that isn't in memory"},
           {"n = 3", "'= 3'"},
           {"n += 3", "assignments"},
           {"++n", "assignments"},
           {"foo(n)", "'foo', which isn't a local variable"},
           {"sqrtf", "'sqrtf', which isn't a local variable"},
           {"pair.flags", "bit fields"},
           {"pair.third", "no member 'third' of its own"},
           {"pair", "values of this type"},
           {"pair.numbers[n]",
            "an element of a variable by an index that varies"},
           {"pair.numbers[4]", "an element past an array's end"},
           {"n[1]", "an index of something that isn't an array"},
           {"*n", "'*' of something that isn't a pointer"},
           {"n->x", "'->' of something that isn't a pointer"},
           {"f % 2", "'%' of floating-point numbers"},
           {"f << 1", "a shift of a floating-point number"},
           {"floats * 2", "this arithmetic on pointers"},
           {"threadIdx", "a built-in variable has members only"},
           {"threadIdx.w", "no member 'w'"},
           {"n ? 1 : 2.0", "'?' between different types"},
           {"(n", "an expression without its ')'"},
           {"n +", "an expression that ends early"},
           {"n n", "'n'"},
           {"0x", "the number '0x'"},
           {std::string(50, '!') + "n", "too deeply nested operations"},
       })
    EXPECT_THAT(Test(text), ::testing::StartsWith(refused + reason)) << text;
}

TEST_F(ConditionCompilerTest, WithoutDebugInformationThereIsNone) {
  llvm::Expected<ServerExpression> object = CompileForServer("1", Address());
  ASSERT_FALSE(bool(object));
  EXPECT_EQ(llvm::toString(object.takeError()),
            "there is no debug information at the breakpoint");
}

} // namespace
