//===-- Operations.h - which operations an expression has ------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OPERATIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OPERATIONS_H

#include "lldb/Utility/DataExtractor.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The size of the operands, at \a offset, of a vendor's operation \a op: those of
/// DW_OP_LLVM_user and the older direct codes of the AMD extension.
std::optional<lldb::offset_t> GetVendorOperandSize(const DataExtractor &data,
                                                   lldb::offset_t offset,
                                                   uint8_t op);

/// Whether LLDB's own evaluator lacks an operation of \a expression. Quick for
/// expressions of ordinary programs. False for malformed ones.
bool NeedsEngine(const DataExtractor &expression);

/// Whether \a expression uses the AMD extension, in either of its encodings.
bool HasAMDOperation(const DataExtractor &expression);

/// Turns text into an expression: hexadecimal bytes, or operations separated by
/// semicolons or commas, with or without DW_OP_, as "bregx 8 0; push_lane; plus".
llvm::Expected<std::vector<uint8_t>> AssembleExpression(llvm::StringRef text,
                                                        uint8_t address_size);

/// The names that AssembleExpression knows, without DW_OP_.
std::vector<std::string> GetOperationNames();

} // namespace wavelane
} // namespace lldb_private

#endif
