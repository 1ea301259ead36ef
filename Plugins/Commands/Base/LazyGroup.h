//===-- LazyGroup.h - commands made when they are asked for -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_BASE_LAZYGROUP_H
#define WAVELANE_COMMANDS_BASE_LAZYGROUP_H

#include "CommandUtil.h"

namespace lldb_private {
namespace wavelane {

/// A group whose subcommands are made when LLDB first looks for one: most
/// sessions start without needing them.
class LazyGroup : public CommandGroup {
public:
  using CommandGroup::CommandGroup;

  CommandObjectMultiword *GetAsMultiwordCommand() override;
  bool LoadSubCommand(llvm::StringRef name,
                      const lldb::CommandObjectSP &command_sp) override;
  llvm::Error LoadUserSubcommand(llvm::StringRef name,
                                 const lldb::CommandObjectSP &command_sp,
                                 bool can_replace) override;
  void GenerateHelpText(Stream &stream) override;
  lldb::CommandObjectSP GetSubcommandSP(llvm::StringRef name,
                                        StringList *matches = nullptr) override;
  lldb::CommandObjectSP GetSubcommandSPExact(llvm::StringRef name) override;
  CommandObject *GetSubcommandObject(llvm::StringRef name,
                                     StringList *matches = nullptr) override;
  void HandleCompletion(CompletionRequest &request) override;

protected:
  /// Loads all subcommands.
  virtual void LoadSubcommands() = 0;

private:
  void Load();

  bool m_is_loaded = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
