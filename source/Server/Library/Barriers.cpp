//===-- Barriers.cpp - Where GPU code waits for other waves ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Barriers.h"
#include "wavelane/Formats/DebugInfo/Check.h"
#include "wavelane/GPU/MachineCode.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <map>
#include <set>

using llvm::StringRef;

namespace wavelane::server {

static bool IsBarrier(const gpu::InstructionFacts &facts) {
  return facts.Barrier == gpu::BarrierStep::SignalAndWait ||
         facts.Barrier == gpu::BarrierStep::Wait ||
         facts.Barrier == gpu::BarrierStep::Grid;
}

static bool IsEnd(const gpu::InstructionFacts &facts) {
  return facts.Flow == gpu::ControlFlow::End;
}

using Wanted = bool(const gpu::InstructionFacts &facts);

namespace {
/// Decodes the code of one processor.
class Decoder {
public:
  /// \param is_wanted  Whether such an instruction is looked for.
  Decoder(std::unique_ptr<gpu::MachineCode> code, Wanted *is_wanted)
      : m_code(std::move(code)), m_is_wanted(is_wanted) {}

  /// \return Whether the bytes begin with an instruction.
  bool Decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
    m_inst = llvm::MCInst();
    return m_code->decode(m_inst, m_size, bytes, address) !=
           llvm::MCDisassembler::Fail;
  }
  uint64_t GetSize() const { return m_size; }
  bool IsWanted() const { return m_is_wanted(m_code->facts(m_inst)); }

  /// Whether \a bytes may begin with such an instruction. The upper half of an
  /// encoding's first word decides; each is decoded once.
  bool MayBeWanted(llvm::ArrayRef<uint8_t> bytes) {
    enum : char { Unknown, No, Yes };
    if (m_halves.empty())
      m_halves.resize(1 << 16, Unknown);
    char &known = m_halves[llvm::support::endian::read16le(bytes.data() + 2)];
    if (known == Unknown)
      known = Decode(bytes, 0) && IsWanted() ? Yes : No;
    return known == Yes;
  }

private:
  std::unique_ptr<gpu::MachineCode> m_code;
  Wanted *const m_is_wanted;
  llvm::MCInst m_inst;
  uint64_t m_size = 0;
  std::vector<char> m_halves;
};
} // namespace

/// Calls \p take with the name, type and address of every symbol.
static void ForEachSymbol(
    const llvm::object::ELF64LEObjectFile &elf,
    llvm::function_ref<void(StringRef name, uint8_t type, uint64_t address)>
        take) {
  auto read = [&](auto range) {
    for (const llvm::object::ELFSymbolRef symbol : range) {
      llvm::Expected<uint64_t> address = symbol.getAddress();
      llvm::Expected<StringRef> name = symbol.getName();
      if (address && name)
        take(*name, symbol.getELFType(), *address);
      if (!address)
        llvm::consumeError(address.takeError());
      if (!name)
        llvm::consumeError(name.takeError());
    }
  };
  if (llvm::Error damage = debuginfo::checkSymbols(elf)) {
    llvm::consumeError(std::move(damage));
    return;
  }
  read(elf.symbols());
  read(elf.getDynamicSymbolIterators());
}

/// Creates the decoder of a code object; null if its processor is unknown.
static std::unique_ptr<Decoder>
MakeDecoder(const llvm::object::ELF64LEObjectFile &elf, Wanted *is_wanted) {
  const auto &header = elf.getELFFile().getHeader();
  const gpu::Processor *processor = gpu::findByElfFlags(header.e_flags);
  if (header.e_machine != llvm::ELF::EM_AMDGPU || !processor)
    return nullptr;
  auto code = gpu::MachineCode::create(processor->Name);
  if (!code) {
    llvm::consumeError(code.takeError());
    return nullptr;
  }
  return std::make_unique<Decoder>(std::move(*code), is_wanted);
}

/// The functions of a code object, by address: whether it is a kernel, which is
/// a function with a descriptor.
static std::map<uint64_t, bool>
FindFunctions(const llvm::object::ELF64LEObjectFile &elf) {
  std::set<std::string, std::less<>> kernels;
  ForEachSymbol(elf, [&](StringRef name, uint8_t, uint64_t) {
    if (name.consume_back(".kd"))
      kernels.insert(name.str());
  });
  std::map<uint64_t, bool> functions;
  ForEachSymbol(elf, [&](StringRef name, uint8_t type, uint64_t address) {
    if (type == llvm::ELF::STT_FUNC)
      functions[address] |= kernels.count(name.str()) != 0;
  });
  return functions;
}

/// Finds instructions of one kind.
/// \param is_wanted  Which functions to look at.
static std::vector<BarrierInstruction> FindInstructions(
    const llvm::object::ELF64LEObjectFile &elf, Decoder &decoder,
    llvm::function_ref<bool(uint64_t begin, bool is_kernel)> is_wanted) {
  constexpr size_t Word = 4;
  const std::map<uint64_t, bool> functions = FindFunctions(elf);
  std::vector<BarrierInstruction> found;
  for (const llvm::object::SectionRef &section : elf.sections()) {
    llvm::Expected<StringRef> contents = section.getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    if (!section.isText() || contents->size() < Word)
      continue;
    const llvm::ArrayRef<uint8_t> bytes =
        llvm::arrayRefFromStringRef(*contents);
    const uint64_t base = section.getAddress();
    std::vector<uint64_t> candidates;
    for (size_t at = 0; at + Word <= bytes.size(); at += Word)
      if (decoder.MayBeWanted(bytes.drop_front(at)))
        candidates.push_back(at);

    // Decode functions with candidates from their beginning: the bytes before a
    // candidate may not be instructions.
    for (auto candidate = candidates.begin(); candidate != candidates.end();) {
      auto next = functions.upper_bound(base + *candidate);
      const uint64_t limit =
          next == functions.end()
              ? bytes.size()
              : std::min<uint64_t>(next->first - base, bytes.size());
      uint64_t begin = 0;
      bool is_kernel = false;
      if (next != functions.begin() && std::prev(next)->first >= base) {
        begin = std::prev(next)->first - base;
        is_kernel = std::prev(next)->second;
      }
      for (uint64_t at = begin;
           is_wanted(base + begin, is_kernel) && at < limit &&
           decoder.Decode(bytes.slice(at, limit - at), base + at);
           at += decoder.GetSize())
        if (decoder.IsWanted())
          found.push_back({base + at, is_kernel ? std::optional(base + begin)
                                                : std::nullopt});
      while (candidate != candidates.end() && *candidate < limit)
        ++candidate;
    }
  }
  llvm::sort(found, [](const auto &a, const auto &b) {
    return a.address < b.address;
  });
  return found;
}

std::vector<BarrierInstruction>
FindBarriers(const llvm::object::ELF64LEObjectFile &elf) {
  std::unique_ptr<Decoder> decoder = MakeDecoder(elf, IsBarrier);
  return decoder ? FindInstructions(elf, *decoder,
                                    [](uint64_t, bool) { return true; })
                 : std::vector<BarrierInstruction>();
}

std::vector<uint64_t> FindEnds(const llvm::object::ELF64LEObjectFile &elf,
                               uint64_t entry) {
  std::unique_ptr<Decoder> decoder = MakeDecoder(elf, IsEnd);
  std::vector<uint64_t> ends;
  if (decoder)
    for (const BarrierInstruction &end :
         FindInstructions(elf, *decoder, [&](uint64_t begin, bool is_kernel) {
           return begin == entry || !is_kernel;
         }))
      ends.push_back(end.address);
  return ends;
}

} // namespace wavelane::server
