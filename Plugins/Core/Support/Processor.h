//===-- Processor.h - which GPU an architecture is --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_PROCESSOR_H
#define WAVELANE_CORE_SUPPORT_PROCESSOR_H

#include "wavelane/GPU/Processors.h"

#include "lldb/Utility/ArchSpec.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/StringRef.h"

namespace lldb_private {
class Target;

namespace wavelane {

/// LLDB has one architecture for all AMD GPUs; the processor is in its flags,
/// as in a code object's ELF header (EF_AMDGPU_MACH).
/// \return Null if \a arch isn't an AMD GPU, or its processor is unknown.
const ::wavelane::gpu::Processor *GetProcessor(const ArchSpec &arch);

/// \return Its name, "gfx90a"; empty if GetProcessor returns null.
llvm::StringRef GetProcessorName(const ArchSpec &arch);

/// An architecture with the processor \a processor, or an AMD GPU with an
/// unknown processor.
/// \param[in] processor "gfx90a", with or without features; may be empty.
ArchSpec MakeArchitecture(llvm::StringRef processor);

/// The architecture of the code at a load address: a program's GPUs can be of
/// several kinds.
ArchSpec GetArchitectureAt(Target &target, lldb::addr_t address);

} // namespace wavelane
} // namespace lldb_private

#endif
