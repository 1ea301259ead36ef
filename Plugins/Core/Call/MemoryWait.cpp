//===-- MemoryWait.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryWait.h"

#include "Core/Lane/WindowAddress.h"
#include "Core/Support/Processor.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "wavelane/Simulator/ISA/ISA.h"
#include "wavelane/Simulator/ISA/Observer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace ::wavelane;
using isa::LaneAccess;
using isa::ObservedInstruction;
using isa::StepResult;

static constexpr uint64_t kPageSize = 4096;
// A wave's local memory is at most this.
static constexpr size_t kMaxLocal = 160 * 1024;
/// More than any program's lanes have.
static constexpr uint32_t kMaxPrivate = 1 << 20;
static constexpr uint64_t kMostInstructions = 50'000;
/// A loop that counts its turns is never in the same state again. It waits if
/// it asks the memory itself (volatile, atomic) for the same, so many times.
static constexpr unsigned kManyTurns = 1000;
static constexpr uint8_t kAsksMemory =
    isa::cache::GLC | isa::cache::SC0 | isa::cache::SC1 | isa::cache::DLC;

namespace {
/// Executes a wave aside, and looks for what it waits for.
class ScratchRun : private isa::MemoryAccess, private isa::Observer {
public:
  ScratchRun(Process &process, Wave &wave) : m_process(process), m_wave(wave) {}

  std::optional<MemoryWait> Run() {
    if (!ReadState())
      return std::nullopt;
    isa::Executor executor(m_state.Processor, *this);
    executor.setObserver(this, isa::observe::Accesses);
    for (uint64_t done = 0; done < kMostInstructions && !m_found;) {
      const StepResult result = executor.run(m_state, kMostInstructions - done);
      done += std::max<uint64_t>(result.Executed, 1);
      if (result.Reason != StepResult::Continued &&
          result.Reason != StepResult::Sleep)
        break;
    }
    return m_found;
  }

private:
  /// All registers "v0", "v1" and so on that the wave has.
  std::vector<uint32_t> ReadVectors(char letter) {
    RegisterContextSP context_sp = m_wave.GetThread().GetRegisterContext();
    const size_t lanes = m_state.LaneCount;
    std::vector<uint32_t> words;
    while (true) {
      const RegisterInfo *info =
          m_wave.FindRegister(letter + std::to_string(words.size() / lanes));
      RegisterValue value;
      if (!info || info->byte_size != lanes * 4 ||
          !context_sp->ReadRegister(info, value) ||
          value.GetByteSize() != lanes * 4)
        return words;
      words.resize(words.size() + lanes);
      memcpy(words.data() + words.size() - lanes, value.GetBytes(), lanes * 4);
    }
  }

  void ReadVectors() {
    const std::vector<uint32_t> vectors = ReadVectors('v'),
                                accumulators = ReadVectors('a');
    const size_t lanes = m_state.LaneCount;
    m_state.allocateVGPRs(unsigned(vectors.size() / lanes),
                          unsigned(accumulators.size() / lanes));
    llvm::copy(vectors, m_state.VGPR.begin());
    llvm::copy(accumulators,
               m_state.VGPR.begin() + m_state.AccumOffset * lanes);
  }

  bool ReadScalars() {
    for (unsigned i = 0; i < isa::scalar::VccLo; ++i)
      if (auto value = m_wave.ReadScalarRegister("s" + std::to_string(i)))
        m_state.Scalar[i] = uint32_t(*value);
    auto exec = m_wave.ReadScalarRegister("exec");
    auto vcc = m_wave.ReadScalarRegister("vcc");
    auto status = m_wave.ReadScalarRegister("status");
    if (!exec || !vcc || !status)
      return false;
    m_state.setExec(*exec);
    m_state.setVcc(*vcc);
    m_state.Status |= *status & isa::status::SCC;
    m_state.Scalar[isa::scalar::M0] =
        uint32_t(m_wave.ReadScalarRegister("m0").value_or(0));
    if (auto scratch = m_wave.ReadScalarRegister("flat_scratch"))
      m_state.setFlatScratch(*scratch);
    if (auto mode = m_wave.ReadScalarRegister("mode"))
      m_state.Mode = (isa::mode::Default & ~0xffu) | (*mode & 0xff);
    return true;
  }

  bool ReadState() {
    auto pc = m_wave.ReadScalarRegister("pc");
    const gpu::Processor *processor =
        pc ? GetProcessor(GetArchitectureAt(m_process.GetTarget(), *pc))
           : nullptr;
    if (!processor)
      return false;
    m_state.Processor = processor->Id;
    m_state.LaneCount = uint8_t(m_wave.GetLaneCount());
    m_state.PC = *pc;
    m_state.ScratchLaneSize = kMaxPrivate;
    if (!ReadScalars())
      return false;
    ReadVectors();
    m_local.resize(kMaxLocal);
    Status error;
    // A read that crosses the end is cut there.
    auto *memory = dynamic_cast<AddressSpaceMemory *>(&m_process);
    m_local.resize(
        memory ? memory->ReadAddressSpace(m_wave.GetThread().GetProtocolID(), 0,
                                          eSpaceLocal, 0, m_local.data(),
                                          m_local.size(), error)
               : 0);
    m_state.LDS = m_local.data();
    m_state.LDSSize = uint32_t(m_local.size());
    return true;
  }

  isa::MemorySpan resolve(uint64_t address, isa::Access kind) override {
    const uint64_t begin = llvm::alignDown(address, kPageSize);
    auto [found, is_new] = m_pages.try_emplace(begin);
    Page &page = found->second;
    if (is_new) {
      page.bytes.resize(kPageSize);
      Status error;
      if (m_process.ReadMemory(begin, page.bytes.data(), kPageSize, error) !=
          kPageSize)
        page.bytes.clear();
    }
    if (page.bytes.empty())
      return {};
    page.is_written |=
        kind == isa::Access::Write || kind == isa::Access::Atomic;
    return {page.bytes.data(), begin, begin + kPageSize};
  }

  /// Of everything that the wave's next instructions depend on, except for
  /// memory that only others write.
  uint64_t HashState(const isa::WaveState &wave) const {
    auto hash = [](const void *data, size_t size) {
      return llvm::xxh3_64bits(
          llvm::ArrayRef(static_cast<const uint8_t *>(data), size));
    };
    uint64_t all = hash(wave.VGPR.data(), wave.VGPR.size() * 4);
    auto add = [&](uint64_t value) { all = all * 31 + value; };
    add(hash(wave.Scalar, sizeof(wave.Scalar)));
    add(wave.Status & isa::status::SCC);
    add(hash(m_local.data(), m_local.size()));
    for (const auto &[address, page] : m_pages)
      if (page.is_written)
        add(address ^ hash(page.bytes.data(), page.bytes.size()));
    return all;
  }

  bool before(const isa::WaveState &wave,
              const ObservedInstruction &instruction) override {
    const LaneAccess *read = nullptr;
    for (const LaneAccess &access : instruction.Accesses)
      if (access.In == LaneAccess::Global && access.Host &&
          access.Kind != isa::Access::Write && !read)
        read = &access;
    if (!read)
      return true;
    MemoryWait wait;
    wait.address = read->Address;
    wait.size = std::min<uint32_t>(read->Size, sizeof(wait.value));
    memcpy(&wait.value, read->Host, wait.size);
    wait.pc = instruction.PC;
    m_reads.push_back({wait,
                       instruction.IsAtomic ||
                           (instruction.Cache & kAsksMemory) ||
                           instruction.Scope,
                       read->Lane == LaneAccess::Scalar});
    Visit &visit = m_visits[instruction.PC];
    const uint64_t hash = HashState(wave);
    const bool is_same = visit.turns && visit.hash == hash;
    const bool is_alike = visit.turns && visit.address == wait.address &&
                          visit.value == wait.value;
    visit.turns = is_alike ? visit.turns + 1 : 1;
    if (is_same || (m_reads.back().asks_memory && visit.turns > kManyTurns)) {
      Choose(llvm::ArrayRef(m_reads).drop_front(visit.read + 1));
      return false;
    }
    visit.hash = hash;
    visit.address = wait.address;
    visit.value = wait.value;
    visit.read = m_reads.size() - 1;
    return true;
  }

  struct Read {
    MemoryWait wait;
    bool asks_memory = false, is_scalar = false;
  };

  /// Of what a turn reads, the one that programmers would name: it asks the
  /// memory itself, or is a lane's, or else the last one.
  void Choose(llvm::ArrayRef<Read> turn) {
    auto rank = [](const Read &read) {
      return read.asks_memory * 2 + !read.is_scalar;
    };
    const Read *best = nullptr;
    for (const Read &read : turn)
      if (!best || rank(read) >= rank(*best))
        best = &read;
    if (best)
      m_found = best->wait;
  }

  struct Page {
    std::vector<uint8_t> bytes; ///< empty if it can't be read
    bool is_written = false;
  };
  /// The last execution of an instruction that reads memory.
  struct Visit {
    uint64_t hash = 0, address = 0, value = 0;
    unsigned turns = 0; ///< that have read the same
    size_t read = 0;    ///< in m_reads
  };

  Process &m_process;
  Wave &m_wave;
  isa::WaveState m_state;
  std::map<uint64_t, Page> m_pages;
  std::vector<uint8_t> m_local;
  std::vector<Read> m_reads;
  std::map<uint64_t, Visit> m_visits;
  std::optional<MemoryWait> m_found;
};
} // namespace

std::optional<MemoryWait> MemoryWait::Find(Process &process, Wave &wave) {
  return ScratchRun(process, wave).Run();
}
