//===-- CallFrame.h - call frame information --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DWARF 5, section 6.4, with location descriptions in its rules and address
// spaces (LLVM's "DWARF Extensions For Heterogeneous Debugging", A.6.4):
// unwinding a row gives a location for each register of the caller.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_CALLFRAME_H
#define WAVELANE_LOCATION_CALLFRAME_H

#include "Evaluator.h"
#include <map>

namespace wavelane::location {

/// The rule for the canonical frame address (CFA).
struct CallFrameAddressRule {
  enum RuleKind : uint8_t { None, RegisterOffset, Expression };
  RuleKind Kind = None;
  uint64_t Register = 0;
  int64_t Offset = 0; ///< In bytes.
  uint64_t Space = 0;
  llvm::ArrayRef<uint8_t> Block; ///< An expression, in the section's data.
};

/// The rule for a register of the caller.
struct RegisterRule {
  enum RuleKind : uint8_t {
    Undefined,
    SameValue,
    Offset,    ///< Saved at CFA + Distance.
    ValOffset, ///< Its value is the address CFA + Distance.
    Register,  ///< In another register of this frame.
    Expression,
    ValExpression,
  };
  RuleKind Kind = Undefined;
  int64_t Distance = 0; ///< In bytes.
  uint64_t Other = 0;   ///< The register of a Register rule.
  llvm::ArrayRef<uint8_t> Block;
};

/// The rules for the program locations [Begin, End), as file addresses.
struct CallFrameRow {
  uint64_t Begin = 0;
  uint64_t End = 0;
  CallFrameAddressRule CFA;
  /// Registers that aren't in it have the architecture's default rule.
  std::map<uint64_t, RegisterRule> Registers;
};

/// A common information entry. Instructions and strings are the section's.
struct CommonFrameInfo {
  llvm::StringRef Augmentation;
  uint8_t AddressSize = 8;
  uint64_t CodeAlignment = 1;
  int64_t DataAlignment = 1;
  uint64_t ReturnAddress = 0;
  llvm::ArrayRef<uint8_t> Instructions;
};

/// A frame description entry.
struct FrameDescription {
  CommonFrameInfo Common;
  uint64_t Begin = 0; ///< A file address.
  uint64_t Size = 0;  ///< In bytes.
  llvm::ArrayRef<uint8_t> Instructions;
};

/// Reads a .debug_frame section. The result points into \a Section.
/// \param AddressSize  The size in bytes of an address in entries older than
/// version 4,
///     which don't state it.
/// \return An error if an entry is truncated or of an unknown version.
llvm::Expected<std::vector<FrameDescription>>
readFrameSection(llvm::ArrayRef<uint8_t> Section, uint8_t AddressSize = 8);

/// The row for program location \a PC (a file address), which \a Frame must
/// cover. Fails on unknown instructions and ill-formed rules (A.6.4.2).
llvm::Expected<CallFrameRow> findRow(const FrameDescription &Frame,
                                     uint64_t PC);

/// All rows, in order.
llvm::Expected<std::vector<CallFrameRow>>
getRows(const FrameDescription &Frame);

/// Unwinds one frame. Expressions can use the registers and memory of \a C, but
/// not its unit, object, lane or iteration.
class FrameUnwinder {
public:
  /// \param Row, C  Must outlive the unwinder.
  /// \param KeepsRegisters
  ///     A register without a rule has the same value in the caller (AMDGPU).
  FrameUnwinder(const CallFrameRow &Row, Context &C, bool KeepsRegisters,
                const EvaluationOptions &Options = {});
  ~FrameUnwinder();

  /// The CFA: memory, of any address space.
  llvm::Expected<Location> getCallFrameAddress();
  /// The location of the caller's register \a Number; undefined if it is lost.
  llvm::Expected<Location> getRegister(uint64_t Number);

private:
  class FrameContext;
  const CallFrameRow &Row;
  Context &C;
  const bool KeepsRegisters;
  const EvaluationOptions Options;
  std::unique_ptr<FrameContext> Inside;
  std::optional<Location> CFA;
  bool IsFormingCFA = false;
  /// Registers that are being unwound, to find cyclic rules.
  llvm::SmallVector<uint64_t, 4> Active;
};

/// Fails if \a Expression has an operation that CFI doesn't allow (A.6.4.2).
llvm::Error checkFrameExpression(llvm::ArrayRef<uint8_t> Expression,
                                 const DecodeOptions &Options = {});

} // namespace wavelane::location

#endif
