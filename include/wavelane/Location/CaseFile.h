//===-- CaseFile.h - evaluation cases in JSON -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is an expression, the context that it is evaluated in, and the
// expected result. A file is a list of them. wavelane-dwarf, the tests and the
// benchmark read such files; test/cases/README.md describes the format.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_CASEFILE_H
#define WAVELANE_LOCATION_CASEFILE_H

#include "Architecture.h"
#include "Evaluator.h"
#include "llvm/Support/JSON.h"
#include <deque>
#include <memory>

namespace wavelane::location {

class CaseEntries;
struct CaseEntry;
struct AttributeValue;

/// A context made from a case's `context`, whose items are all optional.
class CaseContext : public Context {
public:
  /// \param Case  The whole case; must outlive the context.
  static llvm::Expected<std::unique_ptr<CaseContext>>
  create(const llvm::json::Object &Case, EvaluationOptions Options);
  ~CaseContext() override;

  /// The case's expression and, in the dialect of its `semantics`, its result.
  llvm::Expected<std::vector<uint8_t>> assembleExpression();
  llvm::Expected<Entry> evaluateExpression(TraceFunction *Trace = nullptr);
  const EvaluationOptions &getOptions() const { return Options; }

  unsigned getAddressSize() override { return AddressSize; }
  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override;
  std::optional<std::string> getRegisterName(uint64_t Number) override;
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
  uint32_t getLaneCount() override { return Lanes; }
  std::optional<uint32_t> getIteration() override { return Iteration; }
  uint32_t getIterationCount() override { return Iterations; }
  std::optional<uint64_t> getProgramLocation() override { return PC; }
  llvm::Expected<Location> getFrameBase() override;
  llvm::Expected<Location> getCallFrameAddress() override;
  llvm::Expected<Location> getObject() override;
  llvm::Expected<Location> getEntryRegister(uint64_t Number) override;
  llvm::Expected<Location> getThreadLocal(uint64_t Offset) override;
  llvm::Expected<Context *> getCallerContext() override;
  llvm::Expected<Type> getBaseType(uint64_t DieOffset) override;
  llvm::Expected<uint64_t> getIndexedAddress(uint64_t Index) override;
  llvm::Expected<DieLocation> getDie(DieReference Die) override;
  llvm::Expected<ObjectMap>
  getObjectMap(DieReference Die, const EvaluationOptions &Options) override;
  bool isVectorRegister(uint64_t Number, unsigned &ElementSize) override;

private:
  CaseContext();
  // CaseContext.cpp
  llvm::Error readContext(const llvm::json::Object &From);
  llvm::Error readRegisters(const llvm::json::Object &From);
  llvm::Error readMemoryBlock(const llvm::json::Object &From);
  llvm::Error readCaller(const llvm::json::Object &From);
  std::vector<uint8_t> *findRegister(uint64_t Number);
  llvm::Expected<llvm::MutableArrayRef<uint8_t>>
  getRegisterBytes(uint64_t Number, uint64_t Offset, size_t Size);
  uint8_t *findByte(uint64_t Space, std::optional<uint32_t> Lane,
                    uint64_t Address);
  llvm::Expected<Location> evaluateFact(const char *Key, bool IsFrameBase);
  llvm::Expected<Location> evaluateRule(const llvm::json::Array &Operations);
  // CaseEntries.cpp
  llvm::Error readEntries(const llvm::json::Object &Dies);
  llvm::Error readEntry(const llvm::json::Object &O, CaseEntry &Into);
  llvm::Error readListEntry(const llvm::json::Object &Item, CaseEntry &Into);
  llvm::Error readMapAttribute(const llvm::json::Object &Map, const char *Key,
                               AttributeValue &Into);
  const std::vector<uint8_t> &keep(std::vector<uint8_t> Bytes) {
    return Buffers.emplace_back(std::move(Bytes));
  }
  // CaseExpression.cpp
  llvm::Error parseOperand(const llvm::json::Value &Word, OperandKind Kind,
                           unsigned Depth, Type &Constant, SourceOperation &Op);
  llvm::Expected<std::vector<SourceOperation>>
  parse(const llvm::json::Array &Operations, unsigned Depth = 0);
  llvm::Expected<std::vector<uint8_t>>
  assembleOperations(const llvm::json::Array &Operations);
  llvm::Expected<std::vector<Entry>> evaluateInitialStack();

  struct Block {
    uint64_t Space;
    std::optional<uint32_t> Lane;
    uint64_t Address;
    std::vector<uint8_t> Bytes;
  };

  const llvm::json::Object *Case = nullptr;
  const llvm::json::Object *Facts = nullptr;
  EvaluationOptions Options;
  unsigned AddressSize = 8;
  unsigned WaveLanes = 64;
  const Architecture *Arch = nullptr;
  std::optional<uint32_t> Lane;
  uint32_t Lanes = 1;
  std::optional<uint32_t> Iteration;
  uint32_t Iterations = 1;
  std::optional<uint64_t> PC;
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> Registers;
  std::vector<Block> Memory;
  bool HasPrivateLane = false;
  std::unique_ptr<CaseEntries> Entries;
  std::unique_ptr<CaseContext> Caller;
  /// Expressions of attributes.
  std::deque<std::vector<uint8_t>> Buffers;
  /// Facts under evaluation, to detect one that depends on itself.
  std::vector<std::string> Active;
};

/// Evaluates a case.
/// \return {"id", "kind", ...} with the keys of `want`, or {"id", "error"}.
/// \param[out] IsRun  False if the case itself is malformed.
llvm::json::Object evaluateCase(const llvm::json::Object &Case, bool &IsRun);

/// Compares a case with its `want`.
/// \return Empty if everything in `want` holds; otherwise a description of what
/// doesn't.
std::string checkCase(const llvm::json::Object &Case,
                      llvm::json::Object &Result);

} // namespace wavelane::location

#endif
