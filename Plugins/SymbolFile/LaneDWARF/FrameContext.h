//===-- FrameContext.h - what LLDB tells the location engine ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMECONTEXT_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FRAMECONTEXT_H

#include "Builtins.h"
#include "Lane/FrameFacts.h"
#include "Lane/ProcessLanes.h"
#include "wavelane/Location/Evaluator.h"
#include <deque>
#include <memory>
#include <optional>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFFormValue;
class DWARFUnit;
} // namespace plugin::dwarf
namespace wavelane {
namespace location = ::wavelane::location;

/// The evaluation context of a frame and lane, and of a unit's expressions. It
/// can be kept while the process stays stopped: locations read and write
/// through it.
class FrameContext : public location::Context {
public:
  /// \param unit  Null for expressions typed by a person outside any unit.
  FrameContext(const FrameFacts &facts, lldb::ModuleSP module_sp,
               const plugin::dwarf::DWARFUnit *unit, uint8_t address_size);
  ~FrameContext() override;

  const FrameFacts &GetFacts() const { return m_facts; }
  void SetObject(location::Location object) { m_object = std::move(object); }

  /// How \a expression of this unit is to be read.
  location::EvaluationOptions
  GetOptions(llvm::ArrayRef<uint8_t> expression) const;

  unsigned getAddressSize() override { return m_address_size; }
  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override;
  std::optional<std::string> getRegisterName(uint64_t number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override;
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
  getObjectMap(location::DieReference die) override;
  bool isVectorRegister(uint64_t number, unsigned &element_size) override;
  unsigned getPrivateFrameScale() override;

private:
  /// The mangled name of the kernel that the wave runs; empty if it can't be
  /// told.
  std::string GetKernelName() const;
  class CallerContext;
  /// The HIP built-in that a register's number stands for.
  const BuiltinVariable *FindBuiltin(uint64_t number) const;

  const FrameFacts m_facts;
  const lldb::ModuleSP m_module_sp;
  const plugin::dwarf::DWARFUnit *const m_unit;
  const uint8_t m_address_size;
  std::optional<location::Location> m_object;
  /// Of entries in other units.
  std::deque<FrameContext> m_units;
  std::unique_ptr<CallerContext> m_caller;
  /// What DieLocation points to.
  std::deque<std::vector<uint8_t>> m_bytes;
  unsigned m_frame_base_depth = 0;
};

/// Whether \a unit says that it is written in the AMD dialect.
bool IsAMDUnit(const plugin::dwarf::DWARFUnit &unit);

/// Whether \a unit was made by a clang with the old numbers of address spaces.
bool HasOldAddressSpaceNumbers(const plugin::dwarf::DWARFUnit &unit);

/// Reads the location list that an attribute of \a unit refers to. Addresses
/// are those of the file.
/// \param[out] bytes  Takes the expressions, which the entries refer to.
llvm::Expected<std::vector<location::LocationListEntry>>
ReadLocationList(plugin::dwarf::DWARFUnit &unit,
                 const plugin::dwarf::DWARFFormValue &value,
                 std::deque<std::vector<uint8_t>> &bytes);

/// A location that LLDB reaches through the window.
class LocationObject : public WindowObject {
public:
  LocationObject(std::shared_ptr<FrameContext> context,
                 location::Location location)
      : m_context(std::move(context)), m_location(std::move(location)) {}
  size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
              Status &error) override;
  size_t Write(Process &process, uint64_t offset, const void *buf, size_t size,
               Status &error) override;

private:
  llvm::Expected<location::Location> At(uint64_t offset, size_t size) const;

  const std::shared_ptr<FrameContext> m_context;
  const location::Location m_location;
};

} // namespace wavelane
} // namespace lldb_private

#endif
