//===-- LocalLayout.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocalLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/OptimizedStructLayout.h"
#include <cinttypes>

using namespace lldb_private::wavelane;

llvm::Align LocalLayout::GetLeastAlign(uint64_t size) {
  return llvm::Align(size > 8   ? 16
                     : size > 4 ? 8
                     : size > 2 ? 4
                     : size > 1 ? 2
                                : 1);
}

LocalLayout::LocalLayout(Kernels kernels, std::vector<Function> functions,
                         Promotable promotable)
    : m_kernels(std::move(kernels)), m_promotable(std::move(promotable)),
      m_functions(std::move(functions)) {
  for (size_t i = 0; i < m_functions.size(); ++i)
    for (const Field &field : m_functions[i].fields)
      m_function_of[field.key] = i;
  const std::vector<Assumption> assumptions = ListAssumptions();
  // Consider optimized-out variables that aren't described only if nothing fits
  // without them; a kernel that nothing fits doesn't constrain the others.
  std::map<std::string, bool> exactly;
  for (const auto &entry : m_kernels)
    for (bool is_exact : {false, true})
      if (llvm::any_of(assumptions, [&](const Assumption &assumption) {
            return !LayOut(assumption, entry.first, is_exact).empty();
          }))
        exactly[entry.first] = is_exact;
  for (const Assumption &assumption : assumptions) {
    std::map<std::string, std::set<Offsets>> all;
    for (const auto &[kernel, is_exact] : exactly)
      all[kernel] = LayOut(assumption, kernel, is_exact);
    if (llvm::none_of(all,
                      [](const auto &entry) { return entry.second.empty(); }))
      for (auto &[kernel, ways] : all)
        m_offsets[kernel].insert(ways.begin(), ways.end());
  }
}

std::vector<LocalLayout::Use>
LocalLayout::GetUses(const Function &function) const {
  if (m_kernels.count(function.name))
    return {{{function.name}, false}};
  if (!function.is_called)
    return {{function.inlined_in, false}};
  std::vector<Use> uses;
  for (const auto &kernel : m_kernels) {
    uses.push_back({function.inlined_in, false});
    uses.back().kernels.insert(kernel.first);
  }
  if (m_kernels.size() > 1)
    uses.push_back({{}, true});
  return uses;
}

std::vector<LocalLayout::Assumption> LocalLayout::ListAssumptions() const {
  constexpr size_t Most = 4096;
  std::vector<Assumption> all(1);
  for (const Function &function : m_functions) {
    const std::vector<Use> uses = GetUses(function);
    std::vector<Assumption> longer;
    for (const Assumption &assumption : all)
      for (const Use &use : uses) {
        longer.push_back(assumption);
        longer.back().push_back(use);
      }
    all = std::move(longer);
    if (all.size() > Most)
      return {};
  }
  return all;
}

std::set<LocalLayout::Offsets> LocalLayout::LayOut(const Assumption &assumption,
                                                   const std::string &kernel,
                                                   bool exactly) const {
  std::set<Offsets> ways;
  for (bool has_common : {false, true})
    if (!has_common ||
        llvm::any_of(assumption, [](const Use &use) { return use.is_common; }))
      if (auto offsets = LayOut(assumption, kernel, has_common, exactly))
        ways.insert(std::move(*offsets));
  return ways;
}

namespace {
struct Allocation {
  uint64_t size = 0;
  llvm::Align align;
  std::vector<llvm::OptimizedStructLayoutField> fields;
};
} // namespace

static Allocation MakeBlock(std::vector<const LocalLayout::Field *> fields) {
  llvm::sort(fields,
             [](const auto *a, const auto *b) { return a->name < b->name; });
  Allocation block;
  for (const LocalLayout::Field *field : fields)
    if (field->size)
      block.fields.emplace_back(field, field->size, field->align);
  if (!block.fields.empty())
    std::tie(block.size, block.align) =
        llvm::performOptimizedStructLayout(block.fields);
  return block;
}

std::optional<LocalLayout::Offsets>
LocalLayout::LayOut(const Assumption &uses, const std::string &kernel,
                    bool has_common, bool exactly) const {
  std::vector<const Field *> own, common;
  std::vector<const Field *> unbounded;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].is_common ? !has_common : !uses[i].kernels.count(kernel))
      continue;
    for (const Field &field : m_functions[i].fields) {
      (uses[i].is_common ? common : own).push_back(&field);
      if (!field.size)
        unbounded.push_back(&field);
    }
  }
  const uint64_t total = m_kernels.at(kernel);
  Allocation first = MakeBlock(std::move(common)),
             second = MakeBlock(std::move(own));
  const uint64_t begin =
      second.size ? llvm::alignTo(first.size, second.align) : first.size;
  const uint64_t size = begin + second.size;
  const uint64_t others =
      total > llvm::alignTo(size, second.align) ? total - size : 0;
  if (total < size)
    return std::nullopt;
  if (others && !IsFilled(kernel, size)) {
    if (exactly || has_common)
      return std::nullopt;
    // Other fields come after all that are larger and at least as much aligned.
    for (const llvm::OptimizedStructLayoutField &placed : second.fields)
      if (placed.Size <= others || placed.Alignment < GetLeastAlign(others))
        return std::nullopt;
  }
  Offsets offsets;
  for (const llvm::OptimizedStructLayoutField &placed : first.fields)
    offsets[static_cast<const Field *>(placed.Id)->key] = placed.Offset;
  for (const llvm::OptimizedStructLayoutField &placed : second.fields)
    offsets[static_cast<const Field *>(placed.Id)->key] = begin + placed.Offset;
  for (const Field *field : unbounded)
    offsets[field->key] = llvm::alignTo(total, field->align);
  return offsets;
}

bool LocalLayout::IsFilled(const std::string &kernel, uint64_t begin) const {
  constexpr size_t Most = 12; // objects, each of which may be promoted or not
  const uint64_t total = m_kernels.at(kernel);
  auto found = m_promotable.find(kernel);
  if (found == m_promotable.end())
    return false;
  std::vector<uint64_t> sizes;
  for (uint64_t size : found->second)
    if (size <= total)
      sizes.push_back(size);
  if (sizes.size() > Most)
    return false;
  for (unsigned chosen = 1; chosen < 1u << sizes.size(); ++chosen) {
    uint64_t sum = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      sum += chosen >> i & 1 ? sizes[i] : 0;
    // They have the alignment of private objects, at most 16 bytes, and sizes
    // that are multiples of it.
    if (sum <= total &&
        (total - sum == begin || total - sum == llvm::alignTo(begin, 8) ||
         total - sum == llvm::alignTo(begin, 16)))
      return true;
  }
  return false;
}

llvm::Expected<uint64_t> LocalLayout::GetOffset(uint64_t key,
                                                llvm::StringRef kernel) const {
  std::set<uint64_t> found;
  for (const auto &[name, ways] : m_offsets)
    if (kernel.empty() || kernel == name)
      for (const Offsets &offsets : ways)
        if (auto place = offsets.find(key); place != offsets.end())
          found.insert(place->second);
  if (found.size() == 1)
    return *found.begin();
  auto total = m_kernels.find(kernel.str());
  if (!kernel.empty() && total != m_kernels.end() && !total->second)
    return llvm::createStringError(
        "the kernel uses none, so the compiler has removed it");
  if (!kernel.empty() && total != m_kernels.end())
    return llvm::createStringError(
        (found.empty() ? "no layout fits the %" PRIu64 " bytes of the kernel"
                       : "several layouts fit the %" PRIu64
                         " bytes of the kernel"),
        total->second);
  return llvm::createStringError("the kernel isn't known");
}
