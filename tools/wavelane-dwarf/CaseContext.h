//===-- CaseContext.h - an evaluation context from JSON --------*- C++ -*-===//

#ifndef WAVELANE_TOOLS_DWARF_CASECONTEXT_H
#define WAVELANE_TOOLS_DWARF_CASECONTEXT_H

#include "wavelane/Location/Evaluator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <deque>
#include <map>
#include <memory>

namespace wavelane::location {

/// The context of one case: registers, memory, lanes and so on by value.
class CaseContext : public Context {
public:
  /// \param Case  The whole case: its `context` and `dwarf`.
  static llvm::Expected<std::unique_ptr<CaseContext>>
  create(const llvm::json::Object &Case, const EvaluationOptions &Options);

  /// Encodes `["DW_OP_x", operand, ...]` lists, names of entries and types included.
  llvm::Expected<std::vector<uint8_t>>
  encode(const llvm::json::Array &Expression);
  /// The entries that stand on the stack first.
  llvm::Expected<std::vector<Entry>> getInitialStack();

  static llvm::StringRef getTypeName(const Type &T);

  unsigned getAddressSize() override { return AddressSize; }
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t Number) override;
  llvm::Error readRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) override;
  llvm::Error writeRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                            llvm::ArrayRef<uint8_t> From) override;
  llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                         uint64_t Thread, uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Into) override;
  llvm::Error writeMemory(uint64_t Space, std::optional<uint32_t> Lane,
                          uint64_t Thread, uint64_t Address,
                          llvm::ArrayRef<uint8_t> From) override;
  std::optional<uint32_t> getLane() override { return Lane; }
  uint32_t getLaneCount() override { return LaneCount; }
  std::optional<uint32_t> getIteration() override { return Iteration; }
  uint32_t getIterationCount() override { return IterationCount; }
  std::optional<uint64_t> getProgramLocation() override { return PC; }
  llvm::Expected<Location> getFrameBase() override;
  llvm::Expected<Location> getCallFrameAddress() override;
  llvm::Expected<Location> getObject() override;
  llvm::Expected<Location> getEntryRegister(uint64_t Number) override;
  llvm::Expected<Context *> getCallerContext() override;
  llvm::Expected<Type> getBaseType(uint64_t DieOffset) override;
  llvm::Expected<DieLocation> getDie(DieReference Die) override;

private:
  struct Block {
    uint64_t Space = 0;
    std::optional<uint32_t> Lane;
    uint64_t Address = 0;
    std::vector<uint8_t> Bytes;
  };
  /// The byte at an address, or null.
  uint8_t *findByte(uint64_t Space, std::optional<uint32_t> Lane,
                    uint64_t Address);
  llvm::Error read(const llvm::json::Object &Json);
  llvm::Error readRegisters(const llvm::json::Object &Json);
  llvm::Expected<Location> evaluateItem(const llvm::json::Object *Item,
                                        const char *Name);

  EvaluationOptions Options;
  unsigned AddressSize = 8;
  std::map<uint64_t, std::vector<uint8_t>> Registers;
  std::vector<Block> Memory;
  bool HasSpace5 = false, HasSpace6 = false;
  uint32_t WaveLanes = 64;
  std::optional<uint32_t> Lane, Iteration;
  uint32_t LaneCount = 1, IterationCount = 1;
  std::optional<uint64_t> PC;
  std::unique_ptr<CaseContext> Caller;
  const llvm::json::Object *Json = nullptr;
  /// Names of entries, in the order of their made-up offsets.
  std::vector<std::string> DieNames;
  /// Keeps the bytes that DieLocations refer to.
  std::deque<std::vector<uint8_t>> Kept;
  unsigned Nesting = 0;
};

} // namespace wavelane::location

#endif
