//===-- LoadedCode.h - the instructions of loaded code ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_MACHINECODE_LOADEDCODE_H
#define WAVELANE_CORE_MACHINECODE_LOADEDCODE_H

#include "AMDGPUMachineCode.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/AddressRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lldb_private {
class Target;

namespace wavelane {

/// The decoder for the code at a load address.
/// \return Null if its processor is unknown to us or to LLVM.
std::shared_ptr<AMDGPUMachineCode> GetMachineCodeAt(Target &target,
                                                    lldb::addr_t address);

/// Bytes of code, read from the file if possible, since memory may contain
/// breakpoints.
/// \return As many of \a size as can be read.
std::vector<uint8_t> ReadCode(Target &target, const Address &start,
                              size_t size);

/// Calls \a visit with the instructions of \a size bytes from \a start on,
/// until it returns false.
/// \param[in] visit Called with the decoder, a load address and the instruction
/// there, or
///     null if the bytes aren't an instruction; then the next address is four
///     bytes further.
void ForEachInstruction(
    Target &target, const Address &start, size_t size,
    llvm::function_ref<bool(AMDGPUMachineCode &code, lldb::addr_t address,
                            const AMDGPUMachineCode::Instruction *instruction)>
        visit);

/// The instruction at a load address.
std::optional<AMDGPUMachineCode::Instruction> DecodeAt(Target &target,
                                                       lldb::addr_t address);

/// The code from the symbol at or before a load address to its end.
/// \return nullopt without a symbol.
std::optional<AddressRange> GetSymbolRange(Target &target,
                                           lldb::addr_t address);

/// Whether \a address is inside an instruction of its function; false if that
/// can't be determined.
bool IsInsideInstruction(Target &target, lldb::addr_t address);

} // namespace wavelane
} // namespace lldb_private

#endif
