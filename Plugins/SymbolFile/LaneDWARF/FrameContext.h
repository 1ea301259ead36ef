//===-- FrameContext.h - LLDB's side of the location engine -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMECONTEXT_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMECONTEXT_H

#include "Builtins.h"
#include "EvaluationContext.h"
#include <deque>
#include <memory>
#include <optional>

namespace lldb_private {
namespace wavelane {
class CallerContext;

/// The evaluation context of a frame and lane, for a unit's expressions. It can
/// be kept while the process is stopped: locations read and write through it.
/// Without a process, it only knows the unit and the file.
class FrameContext : public EvaluationContext,
                     public std::enable_shared_from_this<FrameContext> {
public:
  /// \param unit Null for expressions that the user typed, outside any
  ///     unit.
  FrameContext(const FrameFacts &facts, lldb::ModuleSP module_sp,
               const plugin::dwarf::DWARFUnit *unit, uint8_t address_size);
  ~FrameContext() override;

  const FrameFacts &GetFacts() const override { return m_facts; }
  void SetObject(location::Location object) { m_object = std::move(object); }
  unsigned GetCallDepth() const override { return m_call_depth; }
  std::shared_ptr<EvaluationContext>
  MakeCaller(StackFrame &caller,
             const plugin::dwarf::DWARFDIE &in_unit) const override;
  /// Whether a file address was used that has no load address.
  bool HasUsedFileAddress() const { return m_has_used_file_address; }

  location::EvaluationOptions
  GetOptions(llvm::ArrayRef<uint8_t> expression) const override;

  unsigned getAddressSize() override { return m_address_size; }
  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override;
  std::optional<std::string> getRegisterName(uint64_t number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override;
  llvm::Expected<uint64_t> getUsedRegisterSize(uint64_t number) override;
  llvm::Error readRegister(uint64_t number, uint64_t thread, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override;
  llvm::Error writeRegister(uint64_t number, uint64_t thread, uint64_t offset,
                            llvm::ArrayRef<uint8_t> from) override;
  llvm::Error readMemory(uint64_t space, std::optional<uint32_t> lane,
                         uint64_t thread, uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override;
  llvm::Error writeMemory(uint64_t space, std::optional<uint32_t> lane,
                          uint64_t thread, uint64_t address,
                          llvm::ArrayRef<uint8_t> from) override;
  uint64_t getThread() override { return m_facts.GetThreadID(); }
  std::optional<uint32_t> getLane() override { return m_facts.GetLane(); }
  uint32_t getLaneCount() override;
  std::optional<uint64_t> getProgramLocation() override;
  llvm::Expected<location::Location> getFrameBase() override;
  llvm::Expected<location::Location> getCallFrameAddress() override;
  llvm::Expected<location::Location> getObject() override;
  llvm::Expected<location::Location> getThreadLocal(uint64_t offset) override;
  llvm::Expected<location::Context *> getCallerContext() override;
  llvm::Expected<location::Type> getBaseType(uint64_t die_offset) override;
  llvm::Expected<uint64_t> getIndexedAddress(uint64_t index) override;
  llvm::Expected<uint64_t> getLoadAddress(uint64_t file_address) override;
  llvm::Expected<location::DieLocation>
  getDie(location::DieReference die) override;
  llvm::Expected<location::ObjectMap>
  getObjectMap(location::DieReference die,
               const location::EvaluationOptions &options) override;
  llvm::Expected<uint64_t>
  getPointerBits(const location::Location &pointer) override;
  bool isVectorRegister(uint64_t number, unsigned &element_size) override;
  unsigned getPrivateFrameScale() override;

private:
  /// The mangled name of the wave's kernel; empty if unknown.
  std::string GetKernelName() const;
  /// The HIP built-in with that register number.
  const BuiltinVariable *FindBuiltin(uint64_t number) const;
  /// An entry, and the context of its unit.
  plugin::dwarf::DWARFDIE FindEntry(location::DieReference reference,
                                    FrameContext *&context);
  llvm::Expected<location::Location> GetGPUFrameBase(Function &function);
  llvm::Error ReadFile(uint64_t address,
                       llvm::MutableArrayRef<uint8_t> into) const;

  const FrameFacts m_facts;
  const lldb::ModuleSP m_module_sp;
  const plugin::dwarf::DWARFUnit *const m_unit;
  const uint8_t m_address_size;
  std::optional<location::Location> m_object;
  unsigned m_call_depth = 0;
  bool m_has_used_file_address = false;
  /// File addresses of the object map under evaluation.
  std::vector<std::pair<uint64_t, uint64_t>> m_map_ranges;
  /// Contexts of entries in other units.
  std::deque<FrameContext> m_units;
  std::unique_ptr<CallerContext> m_caller;
  /// The bytes that DieLocation refers to.
  AttributeBytes m_bytes;
  unsigned m_frame_base_depth = 0;
};

/// The address of a CPU's object for the commonest expression, a distance from
/// the frame base, which needs no context. nullopt for other expressions, and
/// on errors, which an evaluation in a context reports.
std::optional<lldb::addr_t>
FindAddressInFrame(const lldb_private::DataExtractor &expression,
                   Thread &thread, StackFrame &frame);

} // namespace wavelane
} // namespace lldb_private

#endif
