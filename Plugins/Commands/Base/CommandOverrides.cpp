//===-- CommandOverrides.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandOverrides.h"

#include "lldb/Interpreter/CommandObject.h"
#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <mutex>
#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct Override {
  std::weak_ptr<CommandObject> command;
  CommandOverrideCallbackWithResult callback;
  void *baton;
};

/// LLDB has a callback each for scripts and for plugins, but one baton for
/// both: a script's replaces ours.
struct ScriptOverride : CommandObject {
  static constexpr auto Callback =
      &ScriptOverride::m_deprecated_command_override_callback;
  static constexpr auto Baton = &ScriptOverride::m_command_override_baton;
};
} // namespace

static std::mutex g_mutex;
static std::vector<std::shared_ptr<Override>> g_overrides;

/// Whether the words are a command with that name, and its arguments. The
/// first word is the whole line for commands that take it as it is.
static bool IsCommand(const char **argv, llvm::StringRef name) {
  std::string line;
  for (; argv && *argv; ++argv)
    line += (line.empty() ? "" : " ") + std::string(*argv);
  llvm::StringRef rest(line);
  return rest.consume_front(name) && (rest.empty() || rest.starts_with(" "));
}

static std::shared_ptr<Override> Find(void *baton, const char **argv,
                                      std::shared_ptr<CommandObject> &script) {
  std::lock_guard<std::mutex> guard(g_mutex);
  for (const std::shared_ptr<Override> &one : g_overrides)
    if (one.get() == baton)
      return one;
  for (const std::shared_ptr<Override> &one : g_overrides) {
    script = one->command.lock();
    if (script && (*script).*ScriptOverride::Baton == baton &&
        IsCommand(argv, script->GetCommandName()))
      return one;
  }
  return nullptr;
}

static bool Run(void *baton, const char **argv, CommandReturnObject &result) {
  std::shared_ptr<CommandObject> script;
  std::shared_ptr<Override> found = Find(baton, argv, script);
  if (!found)
    return false;
  if (script)
    if (auto callback = (*script).*ScriptOverride::Callback)
      if (callback(baton, argv))
        return true;
  return found->callback(found->baton, argv, result);
}

void lldb_private::wavelane::OverrideCommand(
    CommandObject &command, CommandOverrideCallbackWithResult callback,
    void *baton) {
  std::lock_guard<std::mutex> guard(g_mutex);
  llvm::erase_if(g_overrides, [](const std::shared_ptr<Override> &one) {
    return one->command.expired();
  });
  g_overrides.push_back(std::make_shared<Override>(
      Override{command.weak_from_this(), callback, baton}));
  command.SetOverrideCallback(Run, g_overrides.back().get());
}
