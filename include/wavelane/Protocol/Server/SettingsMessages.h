//===-- SettingsMessages.h - the settings of a server -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user wants of lldb-server: LLDB sends it (packets::Settings), and the
// server's environment has some of it. Each setting is read alone. A wrong one
// is reported with what would be right, and the others hold.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_SETTINGSMESSAGES_H
#define WAVELANE_PROTOCOL_SERVER_SETTINGSMESSAGES_H

#include "wavelane/Protocol/Device/Checks.h"
#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Fields.h"
#include "wavelane/Protocol/Server/Packets.h"

namespace wavelane::protocol {

/// Which GPUs a user wants to debug.
enum class WantedDevice { Auto, Simulated, Hardware };
llvm::ArrayRef<Word<WantedDevice>> getWords(WantedDevice);

/// The runtime of programs on the simulated GPU.
enum class WantedRuntime { Auto, Amd, Wavelane };
llvm::ArrayRef<Word<WantedRuntime>> getWords(WantedRuntime);

/// An exception that is reported on request.
enum class Exception {
  Memory,    ///< memory faults at the instruction that caused them
  Alu,       ///< arithmetic exceptions at their instruction
  LocalRange ///< accesses beyond a workgroup's local memory
};
llvm::ArrayRef<Word<Exception>> getWords(Exception);

/// A list of checks: "memory,race".
struct CheckList {
  unsigned Bits = 0; ///< as of check::parseList()
};
/// Numbers of launches: "3-5,8".
struct LaunchList {
  check::LaunchRanges Ranges;
};
/// A regular expression.
struct Pattern {
  std::string Text;
};
/// A path on the server's machine.
struct ServerPath {
  std::string Path;
};
template <uint64_t Most> struct Limited {
  uint64_t Value = 0;
};

llvm::json::Value toJSON(const CheckList &Value);
llvm::json::Value toJSON(const LaunchList &Value);
llvm::json::Value toJSON(const Pattern &Value);
llvm::json::Value toJSON(const ServerPath &Value);
template <uint64_t Most> llvm::json::Value toJSON(const Limited<Most> &Number) {
  return Number.Value;
}

// Read the text of a value, as a user has written it. The error says what would
// be right: "it must be auto, simulated or hardware; did you mean 'hardware'?"

/// One of \a Words.
llvm::Error readWord(llvm::StringRef Text,
                     llvm::ArrayRef<llvm::StringRef> Words);
llvm::Error readText(llvm::StringRef Text, CheckList &Out);
llvm::Error readText(llvm::StringRef Text, LaunchList &Out);
llvm::Error readText(llvm::StringRef Text, Pattern &Out);
llvm::Error readText(llvm::StringRef Text, ServerPath &Out);
/// A number from \a Least to \a Most, also with 0x.
llvm::Error readNumber(llvm::StringRef Text, uint64_t Least, uint64_t Most,
                       uint64_t &Out);

template <typename E>
std::enable_if_t<std::is_enum_v<E>, llvm::Error> readText(llvm::StringRef Text,
                                                          E &Out) {
  std::vector<llvm::StringRef> Words;
  for (const Word<E> &Each : getWords(E()))
    Words.push_back(Each.second);
  if (llvm::Error Wrong = readWord(Text, Words))
    return Wrong;
  Out = *findWord<E>(Text);
  return llvm::Error::success();
}

/// A setting that has no effect.
struct WrongSetting {
  std::string Name; ///< its key, or the variable's name
  /// What follows the name in a sentence: "is 'gpu': it must be ...".
  std::string Why;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("setting", S.Name);
    F("why", S.Why);
  }
};
/// "is 'gpu': it must be auto, simulated or hardware".
std::string explainWrong(llvm::StringRef Value, llvm::Error Why);
/// "check is 'speed': ...; device is 'gpu': ..."
llvm::Error toError(llvm::ArrayRef<WrongSetting> Wrong);

/// The arguments of packets::Settings. Those that aren't set have defaults.
struct ServerSettings {
  std::optional<WantedDevice> Device;
  std::optional<WantedRuntime> Runtime;
  std::optional<bool> LeaveEnvironment;
  std::optional<ServerPath> Library; ///< of ROCdbgapi
  std::optional<std::vector<Exception>> Exceptions;
  // Of the simulated GPU:
  std::optional<CheckList> Check;
  std::optional<Pattern> CheckKernel;
  std::optional<LaunchList> CheckLaunches;
  std::optional<bool> CheckLeaks;
  std::optional<Limited<check::MaxShadowLimit>> CheckShadowLimit; ///< MiB
  std::optional<Limited<simulator::ScheduleLimit>> Schedule;
  std::optional<Limited<simulator::MostMemoryLimit>> MemoryLimit; ///< MiB

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    namespace key = server::packets::setting;
    F(key::Device, S.Device);
    F(key::Runtime, S.Runtime);
    F(key::LeaveEnvironment, S.LeaveEnvironment);
    F(key::Library, S.Library);
    F(key::Exceptions, S.Exceptions);
    F(key::Check, S.Check);
    F(key::CheckKernel, S.CheckKernel);
    F(key::CheckLaunches, S.CheckLaunches);
    F(key::CheckLeaks, S.CheckLeaks);
    F(key::CheckShadowLimit, S.CheckShadowLimit);
    F(key::Schedule, S.Schedule);
    F(key::MemoryLimit, S.MemoryLimit);
  }

  bool operator==(const ServerSettings &Other) const;
};

/// Reads each setting of \a From alone.
/// \param[out] Wrong  Those that are unknown or have a wrong value are added.
ServerSettings readSettings(const llvm::json::Object &From,
                            std::vector<WrongSetting> &Wrong);

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_SETTINGSMESSAGES_H
