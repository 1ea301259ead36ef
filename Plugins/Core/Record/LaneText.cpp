//===-- LaneText.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneText.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <vector>

using namespace lldb_private;

std::string wavelane::FormatRuns(llvm::ArrayRef<uint32_t> numbers,
                                 size_t most_runs) {
  std::string text;
  for (size_t runs = 0; !numbers.empty(); ++runs) {
    if (runs == most_runs)
      return text + ",...";
    size_t count = 1;
    while (count < numbers.size() && numbers[count] == numbers[count - 1] + 1)
      ++count;
    text += (runs ? "," : "") + std::to_string(numbers.front());
    if (count > 1)
      text += '-' + std::to_string(numbers[count - 1]);
    numbers = numbers.drop_front(count);
  }
  return text;
}

std::string wavelane::FormatLanes(const llvm::BitVector &lanes) {
  return FormatRuns(
      std::vector<uint32_t>(lanes.set_bits_begin(), lanes.set_bits_end()));
}

std::string wavelane::NameLanes(llvm::ArrayRef<uint32_t> lanes) {
  return (lanes.size() == 1 ? "lane " : "lanes ") + FormatRuns(lanes);
}

std::string wavelane::FormatTriple(const Triple &numbers) {
  return llvm::formatv("({0},{1},{2})", numbers[0], numbers[1], numbers[2]);
}

std::string wavelane::FormatCount(uint64_t count, llvm::StringRef what) {
  return llvm::formatv("{0} {1}{2}", count, what, count == 1 ? "" : "s");
}

std::string wavelane::ShortenName(llvm::StringRef name) {
  if (name.contains("operator") || name.contains('{'))
    return name.str();
  std::string text;
  unsigned depth = 0;
  for (char c : name) {
    if (c == '<' || c == '(')
      ++depth;
    if (!depth)
      text += c;
    if ((c == '>' || c == ')') && depth)
      --depth;
  }
  const size_t scope = text.rfind("::");
  if (scope != std::string::npos)
    text.erase(0, scope + 2);
  return depth || text.empty() ? name.str() : text;
}

std::string wavelane::ShortenWaveName(llvm::StringRef name) {
  constexpr size_t kMaxKernel = 40;
  const size_t end = name.rfind(" (");
  if (end == llvm::StringRef::npos || end <= kMaxKernel)
    return name.str();
  return ShortenName(name.take_front(end)) + name.drop_front(end).str();
}
