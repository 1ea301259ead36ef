//===-- WaveStops.h - each wave at a stop -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stop reply has all waves, folded by address and reason, or only those that
// have moved since an earlier reply. LLDB would search a list for each thread,
// which takes minutes with thousands of waves; here, each lookup takes constant
// time.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVESTOPS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVESTOPS_H

#include "wavelane/Protocol/Server/StoppedWaves.h"

#include "lldb/lldb-defines.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The waves of one stop. Doesn't change.
class FoldedStop {
public:
  explicit FoldedStop(std::vector<::wavelane::server::StoppedWaves> folds);
  /// A stop at which only these waves aren't as in \p base, which has reported
  /// all.
  FoldedStop(std::shared_ptr<const FoldedStop> base,
             std::vector<::wavelane::server::StoppedWaves> moved);

  /// \return Null if the stop doesn't have the wave.
  const ::wavelane::server::StoppedWaves *Find(lldb::tid_t wave) const;
  /// All waves, ascending.
  const std::vector<lldb::tid_t> &GetWaves() const {
    return m_base_sp ? m_base_sp->GetWaves() : m_waves;
  }
  struct Place {
    std::optional<lldb::addr_t> address; ///< none if it can't be read
    size_t count = 0;
    lldb::tid_t wave = LLDB_INVALID_THREAD_ID; ///< one of those there
  };
  /// Where waves are, in no order; an address may come more than once.
  std::vector<Place> GetPlaces() const;
  /// The waves of the folds for which \a is_wanted holds, in no order. None if
  /// there are more than \a limit, or the stop only says what has moved.
  std::optional<std::vector<lldb::tid_t>>
  Select(size_t limit,
         llvm::function_ref<bool(const ::wavelane::server::StoppedWaves &)>
             is_wanted) const;
  bool HasSameWaves(const FoldedStop &other) const {
    return &GetWaves() == &other.GetWaves() || GetWaves() == other.GetWaves();
  }

private:
  /// Then a search is faster than a hash table.
  static constexpr size_t kFewFolds = 8;
  static constexpr uint32_t kNoFold = UINT32_MAX;
  void IndexFolds();

  const std::shared_ptr<const FoldedStop> m_base_sp; ///< may be null
  const std::vector<::wavelane::server::StoppedWaves> m_folds;
  std::vector<lldb::tid_t> m_waves;
  /// The folds of the waves from the first one on, if most numbers from there
  /// to the last one are of waves, as usual. Otherwise, those of all waves, if
  /// there are many folds. A server chooses the numbers: llvm::DenseMap doesn't
  /// take all.
  std::vector<uint32_t> m_fold_at;
  std::unordered_map<lldb::tid_t, uint32_t> m_fold_of;
};

/// Thread-safe.
class WaveStops {
public:
  /// Reads a stop reply, unless that of the same stop was read. Without effect
  /// if it has no folded waves.
  /// \return false if the reply says what has moved since one that wasn't read.
  bool Read(uint32_t stop_id, llvm::StringRef reply);

  /// The waves of the stop aren't the same any more.
  void Forget();

  /// \return Null if the last reply that was read is of a different stop.
  std::shared_ptr<const FoldedStop> Get(uint32_t stop_id);

  /// Whether that stop is the last one that was read, and has the same waves as
  /// the one before.
  bool HasSameWaves(uint32_t stop_id);

private:
  std::mutex m_mutex;
  uint32_t m_stop_id = UINT32_MAX;
  std::shared_ptr<const FoldedStop> m_stop_sp;
  bool m_has_same_waves = false;
  /// The last one that has reported all waves, and its number.
  std::shared_ptr<const FoldedStop> m_base_sp;
  uint64_t m_base_number = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
