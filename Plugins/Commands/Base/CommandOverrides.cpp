//===-- CommandOverrides.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandOverrides.h"
#include "CommandUtil.h"

#include "lldb/Interpreter/CommandObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct Override {
  std::weak_ptr<CommandObject> command;
  /// With their batons; the last one is called first.
  std::vector<std::pair<CommandOverrideCallbackWithResult, void *>> callbacks;
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
/// The command whose callback runs, and the one that runs without it.
static thread_local CommandObject *t_overridden = nullptr;
static thread_local CommandObject *t_itself = nullptr;

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
  std::shared_ptr<CommandObject> command =
      found ? found->command.lock() : nullptr;
  if (!command || command.get() == t_itself)
    return false;
  if (script)
    if (auto callback = (*script).*ScriptOverride::Callback)
      if (callback(baton, argv))
        return true;
  // The callback may run other commands, and these this one.
  llvm::SaveAndRestore overridden(t_overridden, command.get());
  llvm::SaveAndRestore itself(t_itself, static_cast<CommandObject *>(nullptr));
  for (const auto &[callback, own_baton] : llvm::reverse(found->callbacks))
    if (callback(own_baton, argv, result))
      return true;
  return false;
}

void lldb_private::wavelane::RunOverridden(const char *const *argv,
                                           CommandReturnObject &result) {
  CommandObject &command = *t_overridden;
  // The words of its name are the first ones.
  const char *const *last = argv + command.GetCommandName().count(' ');
  const std::string line = QuoteCommand(last);
  llvm::SaveAndRestore itself(t_itself, &command);
  command.Execute(llvm::StringRef(line).drop_front(strlen(*last)).str().c_str(),
                  result);
}

void lldb_private::wavelane::OverrideCommand(
    CommandObject &command, CommandOverrideCallbackWithResult callback,
    void *baton) {
  std::lock_guard<std::mutex> guard(g_mutex);
  llvm::erase_if(g_overrides, [](const std::shared_ptr<Override> &one) {
    return one->command.expired();
  });
  for (const std::shared_ptr<Override> &one : g_overrides)
    if (one->command.lock().get() == &command) {
      one->callbacks.emplace_back(callback, baton);
      return;
    }
  g_overrides.push_back(std::make_shared<Override>(
      Override{command.weak_from_this(), {{callback, baton}}}));
  command.SetOverrideCallback(Run, g_overrides.back().get());
}
