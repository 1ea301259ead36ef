//===-- DebugOptions.cpp - LLDB's options, before LLDB starts -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options are those of LLDB's own table, in which LLDB looks them up, too.
//
//===----------------------------------------------------------------------===//

#include "DebugOptions.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

using namespace llvm;
using namespace llvm::opt;

namespace {
enum ID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

class DebuggerTable : public GenericOptTable {
public:
  DebuggerTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, InfoTable) {}
};
} // namespace

std::string
wavelane::command::faultInDebugOptions(ArrayRef<std::string> Arguments) {
  std::vector<const char *> Words;
  for (const std::string &Argument : Arguments)
    Words.push_back(Argument.c_str());
  const DebuggerTable Table;
  unsigned MissingIndex, MissingCount;
  const InputArgList Parsed =
      Table.ParseArgs(Words, MissingIndex, MissingCount);
  // LLDB prints its help whatever else there is.
  if (Parsed.hasArg(OPT_help))
    return {};
  if (const Arg *Unknown = Parsed.getLastArg(OPT_UNKNOWN)) {
    std::string Nearest;
    const std::string Option = Unknown->getSpelling().str();
    const bool IsLike = Table.findNearest(Option, Nearest) <= 2;
    return "unknown option " + Option +
           (IsLike ? ", did you mean " + Nearest + "?" : ";") +
           " wavelane debug --help describes the options, and the program's "
           "own follow --";
  }
  if (MissingCount)
    return std::string(Parsed.getArgString(MissingIndex)) +
           " needs a value; wavelane debug --help describes the options";
  return {};
}

std::vector<wavelane::command::OptionHelp> wavelane::command::debugOptions() {
  const DebuggerTable Table;
  std::vector<OptionHelp> All;
  // The first number is 1.
  for (unsigned Id = 1; Id <= Table.getNumOptions(); ++Id) {
    const Option Each = Table.getOption(Id);
    const char *Text = Table.getOptionHelpText(Id);
    if (!Text || Each.getAlias().isValid() ||
        Each.getKind() == Option::GroupClass ||
        Each.getKind() == Option::RemainingArgsClass)
      continue;
    const char *Value = Table.getOptionMetaVar(Id);
    All.push_back({Each.getPrefixedName().str(),
                   Each.getKind() == Option::FlagClass ? ""
                   : Value                             ? Value
                                                       : "VALUE",
                   Text, ""});
  }
  return All;
}
