//===-- LaneText.h - numbers of lanes as text -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depends on LLVM only, because lldb-dap uses it, too.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_RECORD_LANETEXT_H
#define WAVELANE_CORE_RECORD_LANETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Three numbers, of x, y and z.
using Triple = std::array<uint32_t, 3>;

/// Runs of rising numbers: "0-7,12".
/// \param most_runs
///     How many runs to show; ",..." replaces the rest.
std::string FormatRuns(llvm::ArrayRef<uint32_t> numbers,
                       size_t most_runs = SIZE_MAX);

/// The runs of the set bits.
std::string FormatLanes(const llvm::BitVector &lanes);

/// "lane 3", "lanes 0-7,12".
std::string NameLanes(llvm::ArrayRef<uint32_t> lanes);

/// "(4,1,1)".
std::string FormatTriple(const Triple &numbers);

/// "2 waves", "1 wave".
std::string FormatCount(uint64_t count, llvm::StringRef what);

/// A function's name without namespaces and template arguments: "scale" of
/// "(anonymous namespace)::scale<float, 4>". Operators and lambdas keep theirs.
std::string ShortenName(llvm::StringRef name);
/// A wave's name such as "saxpy (1,0,0)/2", with its kernel shortened if that
/// is long.
std::string ShortenWaveName(llvm::StringRef name);

} // namespace wavelane
} // namespace lldb_private

#endif
