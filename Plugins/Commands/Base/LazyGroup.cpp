//===-- LazyGroup.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LazyGroup.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void LazyGroup::Load() {
  if (m_is_loaded)
    return;
  m_is_loaded = true; // It is also called while they are loaded.
  LoadSubcommands();
}

/// `apropos` looks at the subcommands of what this returns.
CommandObjectMultiword *LazyGroup::GetAsMultiwordCommand() {
  Load();
  return CommandGroup::GetAsMultiwordCommand();
}

bool LazyGroup::LoadSubCommand(llvm::StringRef name,
                               const CommandObjectSP &command_sp) {
  Load();
  return CommandGroup::LoadSubCommand(name, command_sp);
}

llvm::Error LazyGroup::LoadUserSubcommand(llvm::StringRef name,
                                          const CommandObjectSP &command_sp,
                                          bool can_replace) {
  Load();
  return CommandGroup::LoadUserSubcommand(name, command_sp, can_replace);
}

void LazyGroup::GenerateHelpText(Stream &stream) {
  Load();
  CommandGroup::GenerateHelpText(stream);
}

CommandObjectSP LazyGroup::GetSubcommandSP(llvm::StringRef name,
                                           StringList *matches) {
  Load();
  return CommandGroup::GetSubcommandSP(name, matches);
}

CommandObjectSP LazyGroup::GetSubcommandSPExact(llvm::StringRef name) {
  Load();
  return CommandGroup::GetSubcommandSPExact(name);
}

CommandObject *LazyGroup::GetSubcommandObject(llvm::StringRef name,
                                              StringList *matches) {
  Load();
  return CommandGroup::GetSubcommandObject(name, matches);
}

void LazyGroup::HandleCompletion(CompletionRequest &request) {
  Load();
  CommandGroup::HandleCompletion(request);
}
