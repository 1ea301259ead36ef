//===-- JobMessages.h - how a rank reports to its debugger ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wavelane-rank, which a launcher starts for each rank of a job, connects to
// the debugger whose address its environment has. Each side then writes JSON
// objects, one in a line:
//
//   debugger: {"wavelane_job":1,"nonce":"<hex>"}
//   rank:     {"registration":"<JSON of Registration>","proof":"<hex>"}
//   debugger: {"terms":"<JSON of Terms>","proof":"<hex>"},
//             or {"error":"<why>"}
//
// Each side proves that it knows the job's secret, which never crosses the
// connection. The rank's proof is the HMAC-SHA256 of the debugger's nonce and
// the registration under the secret. The debugger's is that of the rank's
// nonce, which the registration has, and the terms, under a key made of the
// secret: a rank's proof can't be sent back as a debugger's. After that, the
// connection is the gdb-remote connection of the rank's lldb-server. What
// crosses a TCP connection isn't encrypted.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_JOB_JOBMESSAGES_H
#define WAVELANE_PROTOCOL_JOB_JOBMESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::job {

/// The variables that wavelane-rank reads: "unix:@<name>" or
/// "tcp:<address>:<port>", and the job's secret.
inline constexpr char AddressVariable[] = "WAVELANE_JOB";
inline constexpr char SecretVariable[] = "WAVELANE_JOB_SECRET";

/// A line longer than this isn't from one of ours.
inline constexpr size_t MaxLine = 64 * 1024;

/// What a rank says about itself.
struct Registration {
  uint32_t Rank = 0;
  /// The number of ranks, if the launcher reports it.
  std::optional<uint32_t> Size;
  std::string Host;
  uint64_t Pid = 0;
  /// The absolute path of its program.
  std::string Program;
  /// The variable that had the rank's number, such as "PMIX_RANK".
  std::string Source;
  /// Random (makeRandom()): the debugger's answer must be about it.
  std::string Nonce;

  std::string str() const;
  static llvm::Expected<Registration> parse(llvm::StringRef Text);
};

/// What the debugger answers.
struct Terms {
  /// "auto", "simulated" or "hardware"; "auto", "amd" or "wavelane".
  std::string Device = "auto", Runtime = "auto";
  /// The rank is killed if the debugger goes away; otherwise it goes on.
  bool EndsWithDebugger = true;

  std::string str() const;
  static llvm::Expected<Terms> parse(llvm::StringRef Text);
};

/// 32 random bytes as hexadecimal digits: a secret, or a nonce.
llvm::Expected<std::string> makeRandom();

/// The HMAC-SHA256 of \a Text under \a Key, as hexadecimal digits.
std::string authenticate(llvm::StringRef Key, llvm::StringRef Text);

/// The debugger's first line, and its nonce.
std::string makeGreeting(llvm::StringRef Nonce);
llvm::Expected<std::string> parseGreeting(llvm::StringRef Line);

/// The rank's line.
std::string makeReport(llvm::StringRef Secret, llvm::StringRef Nonce,
                       const Registration &Registered);
/// Fails if it isn't a report, or the secret is another.
llvm::Expected<Registration> checkReport(llvm::StringRef Secret,
                                         llvm::StringRef Nonce,
                                         llvm::StringRef Line);

/// The debugger's line for an admitted rank.
std::string makeAnswer(llvm::StringRef Secret, llvm::StringRef RankNonce,
                       const Terms &Granted);
/// Fails if it isn't from a debugger with the job's secret. If the debugger has
/// refused the rank, the error is what it says, without control characters.
llvm::Expected<Terms> checkAnswer(llvm::StringRef Secret,
                                  llvm::StringRef RankNonce,
                                  llvm::StringRef Line);

/// Who a report says that it is from, which nothing proves: "rank 1, process 12
/// on host a"; empty if it doesn't say.
std::string describeClaim(llvm::StringRef Line);

/// {"error":"<why>"}.
std::string makeRefusal(llvm::StringRef Why);

} // namespace wavelane::job

#endif // WAVELANE_PROTOCOL_JOB_JOBMESSAGES_H
