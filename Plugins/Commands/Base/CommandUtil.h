//===-- CommandUtil.h - shared by the commands ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_BASE_COMMANDUTIL_H
#define WAVELANE_COMMANDS_BASE_COMMANDUTIL_H

#include "Core/Format/LaneView.h"
#include "lldb/Host/OptionParser.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Interpreter/Options.h"
#include "lldb/lldb-private-types.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Options that are switches or take one word, identified by their letter.
class SimpleOptions : public Options {
public:
  explicit SimpleOptions(llvm::ArrayRef<OptionDefinition> definitions)
      : m_definitions(definitions) {}

  Status SetOptionValue(uint32_t option_idx, llvm::StringRef option_arg,
                        ExecutionContext *) override {
    m_values[m_definitions[option_idx].short_option] = option_arg.str();
    return Status();
  }
  void OptionParsingStarting(ExecutionContext *) override { m_values.clear(); }
  llvm::ArrayRef<OptionDefinition> GetDefinitions() override {
    return m_definitions;
  }
  void HandleOptionArgumentCompletion(CompletionRequest &request,
                                      OptionElementVector &options, int index,
                                      CommandInterpreter &interpreter) override;

  bool Has(int option) const { return m_values.count(option) != 0; }
  llvm::StringRef Get(int option) const {
    auto found = m_values.find(option);
    return found == m_values.end() ? llvm::StringRef() : found->second;
  }

private:
  llvm::ArrayRef<OptionDefinition> m_definitions;
  std::map<int, std::string> m_values;
};

constexpr OptionDefinition Switch(const char *name, int letter,
                                  const char *help) {
  return {LLDB_OPT_SET_ALL,          false,   name, letter,
          OptionParser::eNoArgument, nullptr, {},   0,
          lldb::eArgTypeNone,        help};
}

constexpr OptionDefinition WordOption(const char *name, int letter,
                                      lldb::CommandArgumentType type,
                                      const char *help) {
  return {
      LLDB_OPT_SET_ALL, false, name, letter, OptionParser::eRequiredArgument,
      nullptr,          {},    0,    type,   help};
}

/// The requirements of commands on the lanes of a frame.
constexpr uint32_t FrameCommandFlags =
    lldb::eCommandRequiresFrame | lldb::eCommandTryTargetAPILock |
    lldb::eCommandProcessMustBeLaunched | lldb::eCommandProcessMustBePaused;

/// A command that needs a stopped thread. If there is none, the error says how
/// to get one.
template <class Base> class StoppedCommand : public Base {
public:
  using Base::Base;

protected:
  const char *GetInvalidTargetDescription() override {
    return "there is no program: `file PROGRAM` names one, `run` starts it";
  }
  const char *GetInvalidProcessDescription() override {
    return "the program isn't running: set a breakpoint (`breakpoint set -n "
           "KERNEL`), then `run`";
  }
  const char *GetInvalidThreadDescription() override {
    return "no thread is selected: `thread list` shows the threads, `thread "
           "select` selects one";
  }
  const char *GetInvalidFrameDescription() override {
    return "the thread has no frame: `thread list` shows the threads, `thread "
           "select` selects another";
  }
};

/// A command that only has subcommands.
class CommandGroup : public CommandObjectMultiword {
public:
  /// \param name
  ///     The full name, such as "gpu memory".
  /// \param long_help
  ///     What `help` prints before the list of subcommands.
  CommandGroup(CommandInterpreter &interpreter, const std::string &name,
               const std::string &help, const std::string &long_help);
  void Execute(const char *args_string, CommandReturnObject &result) override;
};

/// The commands of one of LLDB's own groups, to replace some: its public
/// functions only take commands of the user's.
CommandObject::CommandMap &GetSubcommands(CommandObjectMultiword &group);

/// Completes the word with a lane of the selected frame.
/// \param with_words  Also offer all, active, inactive.
void CompleteLanes(const ExecutionContext &exe_ctx, CompletionRequest &request,
                   bool with_words);

/// Completes the word with the names that the user gave to lanes of the
/// process.
void CompleteLaneNames(const ExecutionContext &exe_ctx,
                       CompletionRequest &request);

/// Completes the word with a variable of the selected frame, or a member of
/// one.
void CompleteVariables(CommandInterpreter &interpreter,
                       CompletionRequest &request);

/// Whether \a command is empty or one word that is a valid name; otherwise the
/// error is in \a result.
bool CheckName(const Args &command, CommandReturnObject &result);

/// Parses the number of a lane that exists.
llvm::Expected<uint32_t> ParseLane(llvm::StringRef text, const LaneView &view);

/// Parses "all", "active", "inactive" or a list of numbers and ranges.
llvm::Expected<llvm::BitVector> ParseLanes(llvm::StringRef text,
                                           const LaneView &view);

/// A command line that parses into the same command and arguments again.
/// \param argv As passed to override callbacks: the words of the command's
/// name,
///     the arguments, null.
std::string QuoteCommand(const char *const *argv);

/// Says that values were those of a lane that doesn't execute here.
void NoteInactive(CommandReturnObject &result, uint32_t lane);

/// Says that a result depends on stale variables.
/// \param[in] stale  ProvenanceScope::Describe().
void NoteStale(CommandReturnObject &result, const std::string &stale);

/// Writes \a value, indented, and a line end.
void AppendJSON(CommandReturnObject &result, llvm::json::Value value);
/// The same, for what \a write writes.
void AppendJSON(CommandReturnObject &result,
                llvm::function_ref<void(llvm::json::OStream &)> write);

/// The lanes at the frame of \a exe_ctx; nullopt after an error in \a result.
std::optional<LaneView> GetLaneView(const ExecutionContext &exe_ctx,
                                    CommandReturnObject &result);

/// Resumes a process as LLDB's commands do.
void ResumeFromCommand(CommandInterpreter &interpreter, Process &process,
                       CommandReturnObject &result);

/// Removes the options from the front of a raw command. An expression needs
/// "--" before it only if it begins with a dash.
/// \param needed
///     What the rest must be, such as "an expression".
/// \return The rest; nullopt after an error in \a result.
std::optional<std::string>
TakeOptions(CommandObject &command_object, SimpleOptions &options,
            llvm::StringRef command, llvm::StringRef needed,
            ExecutionContext &exe_ctx, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
