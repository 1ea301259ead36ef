//===-- Checks.h - the checks and what they find ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_DEVICE_CHECKS_H
#define WAVELANE_PROTOCOL_DEVICE_CHECKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::check {

/// The checks, as --check and its settings name them.
enum class CheckId : uint8_t {
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP) ID,
#include "wavelane/Protocol/Device/Checks.def"
};
constexpr CheckId AllChecks[] = {
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP) CheckId::ID,
#include "wavelane/Protocol/Device/Checks.def"
};
/// A bit for each check of "all".
constexpr unsigned BitsOfAll = 0
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP) | 1u << unsigned(CheckId::ID)
#define WAVELANE_CHECK_BY_NAME(ID, NAME, LABEL, HELP)
#include "wavelane/Protocol/Device/Checks.def"
    ;
constexpr unsigned CheckCount = std::size(AllChecks);
/// "memory".
llvm::StringRef name(CheckId Id);
/// What it looks for, in a list of checks: "races".
llvm::StringRef label(CheckId Id);
/// A sentence.
llvm::StringRef help(CheckId Id);

enum class Kind : uint8_t {
#define WAVELANE_FINDING(ID, CHECK, NAME, SUMMARY) ID,
#include "wavelane/Protocol/Device/Checks.def"
};
constexpr Kind AllKinds[] = {
#define WAVELANE_FINDING(ID, CHECK, NAME, SUMMARY) Kind::ID,
#include "wavelane/Protocol/Device/Checks.def"
};
/// "invalid-global-access".
llvm::StringRef name(Kind K);
llvm::StringRef summary(Kind K);
CheckId checkOf(Kind K);

/// In lists of checks: counts what each line costs.
constexpr char CountName[] = "count";
/// In lists of checks: all that find what no program means, without counts.
constexpr char AllName[] = "all";
/// A list has a bit for each CheckId, and this one for CountName.
constexpr unsigned CountBit = 1u << CheckCount;
/// The words that a list may have: the checks, CountName and AllName.
std::vector<llvm::StringRef> listWords();
/// Parses "memory,race", "count" or "all". An error names the valid words.
llvm::Expected<unsigned> parseList(llvm::StringRef List);
/// The list of some bits: "memory,count".
std::string listOf(unsigned Bits, llvm::StringRef Separator = ",");

/// MiB that a check may use to follow memory.
constexpr uint64_t MaxShadowLimit = 1 << 20;

/// Numbers of launches, first and last, from 1.
using LaunchRanges = std::vector<std::pair<uint64_t, uint64_t>>;
/// Parses "3-5,8".
llvm::Expected<LaunchRanges> parseLaunches(llvm::StringRef List);

} // namespace wavelane::check

#endif // WAVELANE_PROTOCOL_DEVICE_CHECKS_H
