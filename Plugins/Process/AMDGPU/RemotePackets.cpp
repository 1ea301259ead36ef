//===-- RemotePackets.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RemotePackets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

bool lldb_private::wavelane::IsEndPacket(llvm::StringRef start) {
  return start.starts_with("W") || start.starts_with("X");
}

bool ReplyFraming::Ends(char byte) {
  switch (m_place) {
  case Place::Outside:
    if (byte == '$') {
      m_place = Place::Inside;
      m_start.clear();
    }
    return false;
  case Place::Inside:
    // In contents, this byte is escaped.
    if (byte == '#')
      m_place = Place::FirstDigit;
    else if (NeedsMore())
      m_start += byte;
    return false;
  case Place::FirstDigit:
    m_place = Place::SecondDigit;
    return false;
  case Place::SecondDigit:
    m_place = Place::Outside;
    return true;
  }
  llvm_unreachable("covered");
}

bool ReplyFraming::NeedsMore() const {
  constexpr size_t most_of_end = 4096;
  return m_start.size() <
         (IsEndPacket(m_start) ? most_of_end
          : kEchoPrefix.starts_with(m_start.substr(0, kEchoPrefix.size()))
              ? kLongestEcho
              : 2);
}

size_t ReplyFraming::Take(llvm::StringRef bytes, bool &ends) {
  ends = false;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (m_place == Place::Inside && !NeedsMore()) {
      at = bytes.find('#', at);
      if (at == llvm::StringRef::npos)
        break;
    }
    ends = Ends(bytes[at]);
    if (ends)
      return at + 1;
  }
  return bytes.size();
}

std::string lldb_private::wavelane::MakePacket(llvm::StringRef contents) {
  uint8_t sum = 0;
  for (char byte : contents)
    sum += uint8_t(byte);
  return llvm::formatv("${0}#{1:x-2}", contents, sum);
}

bool lldb_private::wavelane::IsOutputPacket(llvm::StringRef start) {
  return start.starts_with("O") && start != "OK";
}

bool lldb_private::wavelane::ResumesProgram(llvm::StringRef contents) {
  return contents == "c" || contents == "s" || contents == "bc" ||
         contents == "bs" || contents.starts_with("vCont;") ||
         contents.starts_with("vAttach") ||
         (contents.size() <= 3 &&
          (contents.starts_with("C") || contents.starts_with("S")));
}

std::string lldb_private::wavelane::MakeNoAnswer(llvm::StringRef contents) {
  if (contents.starts_with(kEchoPrefix))
    return MakePacket(contents);
  // LLDB repeats this question until an answer says that there's no need.
  if (contents.starts_with("qSymbol:"))
    return MakePacket("");
  return MakePacket(
      "E04;" + llvm::toHex("lldb-server doesn't answer", /*LowerCase=*/true));
}
