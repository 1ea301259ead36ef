//===-- JobMessages.cpp - how a rank reports to its debugger --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Job/JobMessages.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include <array>
#include <cerrno>
#include <sys/random.h>

using namespace llvm;

namespace wavelane::job {

static constexpr int64_t Version = 2;
static constexpr size_t BlockSize = 64;

static std::string toLine(json::Object Object) {
  return formatv("{0}\n", json::Value(std::move(Object))).str();
}

static Expected<json::Object> fromLine(StringRef Line) {
  Expected<json::Value> Value = wavelane::parseJSON(Line);
  if (!Value) {
    consumeError(Value.takeError());
    return createStringError("it isn't JSON");
  }
  if (json::Object *Object = Value->getAsObject())
    return std::move(*Object);
  return createStringError("it isn't a JSON object");
}

//===-- Proofs ------------------------------------------------------------===//

Expected<std::string> makeRandom() {
  std::array<uint8_t, 32> Bytes;
  if (::getrandom(Bytes.data(), Bytes.size(), 0) != ssize_t(Bytes.size()))
    return createStringError(std::error_code(errno, std::generic_category()),
                             "no random numbers");
  return toHex(Bytes, /*LowerCase=*/true);
}

/// RFC 2104.
std::string authenticate(StringRef Key, StringRef Text) {
  std::array<uint8_t, BlockSize> Block = {};
  if (Key.size() > BlockSize) {
    const auto Short = SHA256::hash(arrayRefFromStringRef(Key));
    copy(Short, Block.begin());
  } else {
    copy(Key, Block.begin());
  }
  auto Hash = [&](uint8_t Pad, ArrayRef<uint8_t> Data) {
    std::array<uint8_t, BlockSize> Padded = Block;
    for (uint8_t &Byte : Padded)
      Byte ^= Pad;
    SHA256 Sum;
    Sum.update(Padded);
    Sum.update(Data);
    return Sum.final();
  };
  constexpr uint8_t Inner = 0x36, Outer = 0x5c;
  return toHex(Hash(Outer, Hash(Inner, arrayRefFromStringRef(Text))),
               /*LowerCase=*/true);
}

/// Takes the same time wherever the texts differ.
static bool areEqual(StringRef A, StringRef B) {
  if (A.size() != B.size())
    return false;
  unsigned Difference = 0;
  for (size_t I = 0; I < A.size(); ++I)
    Difference |= unsigned(A[I] ^ B[I]);
  return Difference == 0;
}

//===-- Lines -------------------------------------------------------------===//

std::string Registration::str() const {
  json::Object Object{{"rank", Rank},        {"host", Host},
                      {"pid", int64_t(Pid)}, {"program", Program},
                      {"source", Source},    {"nonce", Nonce}};
  if (Size)
    Object["size"] = *Size;
  return formatv("{0}", json::Value(std::move(Object))).str();
}

Expected<Registration> Registration::parse(StringRef Text) {
  Expected<json::Object> Object = fromLine(Text);
  if (!Object)
    return Object.takeError();
  constexpr int64_t Most = INT32_MAX;
  const std::optional<int64_t> Rank = Object->getInteger("rank"),
                               Pid = Object->getInteger("pid"),
                               Size = Object->getInteger("size");
  const std::optional<StringRef> Host = Object->getString("host"),
                                 Program = Object->getString("program"),
                                 Source = Object->getString("source"),
                                 Nonce = Object->getString("nonce");
  if (!Rank || *Rank < 0 || *Rank > Most || !Pid || *Pid <= 0 || *Pid > Most ||
      !Host || !Program || Program->empty() || !Source || !Nonce ||
      (Size && (*Size <= 0 || *Size > Most)))
    return createStringError(
        "its rank, host, pid, program or nonce is missing");
  if (Size && *Rank >= *Size)
    return createStringError(
        formatv("its rank is {0} of {1}", *Rank, *Size).str());
  Registration Registered;
  Registered.Rank = uint32_t(*Rank);
  if (Size)
    Registered.Size = uint32_t(*Size);
  Registered.Host = Host->str();
  Registered.Pid = uint64_t(*Pid);
  Registered.Program = Program->str();
  Registered.Source = Source->str();
  Registered.Nonce = Nonce->str();
  return Registered;
}

std::string Terms::str() const {
  json::Object Object{{"device", Device},
                      {"runtime", Runtime},
                      {"ends_with_debugger", EndsWithDebugger}};
  return formatv("{0}", json::Value(std::move(Object))).str();
}

Expected<Terms> Terms::parse(StringRef Text) {
  Expected<json::Object> Object = fromLine(Text);
  if (!Object)
    return Object.takeError();
  const std::optional<StringRef> Device = Object->getString("device"),
                                 Runtime = Object->getString("runtime");
  const std::optional<bool> Ends = Object->getBoolean("ends_with_debugger");
  if (!Device || !Runtime || !Ends)
    return createStringError("the debugger's answer is incomplete");
  Terms Granted;
  Granted.Device = Device->str();
  Granted.Runtime = Runtime->str();
  Granted.EndsWithDebugger = *Ends;
  return Granted;
}

/// The debugger's proof of \p Text. A rank's proofs are under the secret
/// itself.
static std::string proveAnswer(StringRef Secret, StringRef RankNonce,
                               StringRef Text) {
  return authenticate(authenticate(Secret, "debugger"),
                      (RankNonce + Text).str());
}

std::string makeAnswer(StringRef Secret, StringRef RankNonce,
                       const Terms &Granted) {
  const std::string Text = Granted.str();
  return toLine(json::Object{{"terms", Text},
                             {"proof", proveAnswer(Secret, RankNonce, Text)}});
}

Expected<Terms> checkAnswer(StringRef Secret, StringRef RankNonce,
                            StringRef Line) {
  Expected<json::Object> Object = fromLine(Line);
  if (!Object)
    return Object.takeError();
  if (std::optional<StringRef> Refusal = Object->getString("error")) {
    // Nothing proves whose text it is, and a terminal shows it.
    std::string Plain = Refusal->str();
    for (char &C : Plain)
      C = isPrint(C) ? C : '?';
    return createStringError(Plain);
  }
  const std::optional<StringRef> Text = Object->getString("terms"),
                                 Proof = Object->getString("proof");
  if (!Text || !Proof)
    return createStringError("the debugger's answer is incomplete");
  if (!areEqual(*Proof, proveAnswer(Secret, RankNonce, *Text)))
    return createStringError(
        "what listens there isn't the job's debugger: it doesn't know the "
        "job's secret");
  return Terms::parse(*Text);
}

std::string makeGreeting(StringRef Nonce) {
  return toLine(json::Object{{"wavelane_job", Version}, {"nonce", Nonce}});
}

Expected<std::string> parseGreeting(StringRef Line) {
  Expected<json::Object> Object = fromLine(Line);
  if (!Object)
    return Object.takeError();
  const std::optional<int64_t> Registered = Object->getInteger("wavelane_job");
  const std::optional<StringRef> Nonce = Object->getString("nonce");
  if (!Registered || !Nonce)
    return createStringError("it isn't a debugger's greeting");
  if (*Registered != Version)
    return createStringError(
        formatv("the debugger's protocol is {0}, and wavelane-rank's {1}: they "
                "are from different versions of Wavelane",
                *Registered, Version)
            .str());
  return Nonce->str();
}

std::string makeReport(StringRef Secret, StringRef Nonce,
                       const Registration &Registered) {
  const std::string Text = Registered.str();
  return toLine(
      json::Object{{"registration", Text},
                   {"proof", authenticate(Secret, (Nonce + Text).str())}});
}

Expected<Registration> checkReport(StringRef Secret, StringRef Nonce,
                                   StringRef Line) {
  Expected<json::Object> Object = fromLine(Line);
  if (!Object)
    return Object.takeError();
  const std::optional<StringRef> Text = Object->getString("registration"),
                                 Proof = Object->getString("proof");
  if (!Text || !Proof)
    return createStringError("it isn't a rank's report");
  if (!areEqual(*Proof, authenticate(Secret, (Nonce + *Text).str())))
    return createStringError("its secret isn't the job's");
  return Registration::parse(*Text);
}

std::string describeClaim(StringRef Line) {
  Expected<json::Object> Object = fromLine(Line);
  std::optional<StringRef> Text;
  if (Object)
    Text = Object->getString("registration");
  else
    consumeError(Object.takeError());
  if (!Text)
    return "";
  Expected<Registration> Registered = Registration::parse(*Text);
  if (!Registered) {
    consumeError(Registered.takeError());
    return "";
  }
  // It is shown in a terminal.
  const bool IsPlain = all_of(Registered->Host, isPrint);
  return formatv("rank {0}, process {1} on host {2}", Registered->Rank,
                 Registered->Pid, IsPlain ? Registered->Host : "unknown")
      .str();
}

std::string makeRefusal(StringRef Why) {
  return toLine(json::Object{{"error", Why}});
}

} // namespace wavelane::job
