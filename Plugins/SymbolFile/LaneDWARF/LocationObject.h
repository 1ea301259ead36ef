//===-- LocationObject.h - a location behind an address ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCATIONOBJECT_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCATIONOBJECT_H

#include "Core/Lane/ProcessLanes.h"
#include "EvaluationContext.h"

namespace lldb_private {
namespace wavelane {

/// A location that LLDB reads and writes through the window. Writing a
/// read-only location fails with the reason.
class LocationObject : public WindowObject {
public:
  /// \param type  The object's; invalid if it isn't known.
  LocationObject(std::shared_ptr<EvaluationContext> context,
                 location::Location location, CompilerType type)
      : m_context(std::move(context)), m_location(std::move(location)),
        m_type(std::move(type)) {}
  size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
              Status &error) override;
  size_t Write(Process &process, uint64_t offset, const void *buf, size_t size,
               Status &error) override;
  llvm::Expected<std::vector<ObjectPart>> FindParts(uint64_t offset,
                                                    uint64_t size) override;
  uint64_t GetSize() override;

private:
  /// The location of the \a size bits from bit \a offset.
  llvm::Expected<location::Location> At(uint64_t offset, uint64_t size) const;
  llvm::Error ReadBits(uint64_t offset, uint64_t size,
                       llvm::MutableArrayRef<uint8_t> into);
  /// Reads what isn't padding, which is 0. \return Whether all of it has a
  /// value.
  bool ReadMembers(uint64_t offset, llvm::MutableArrayRef<uint8_t> into);

  const std::shared_ptr<EvaluationContext> m_context;
  const location::Location m_location;
  const CompilerType m_type;
};

/// An address in the window for \a place, valid while the process is stopped.
llvm::Expected<lldb::addr_t>
GetWindowAddress(const std::shared_ptr<EvaluationContext> &context,
                 const location::Location &place,
                 const CompilerType &type = {});

/// The address of \a place in the process: its own if it is plain memory, else
/// one in the window.
llvm::Expected<lldb::addr_t>
GetAddress(const std::shared_ptr<EvaluationContext> &context,
           const location::Location &place, const CompilerType &type = {});

} // namespace wavelane
} // namespace lldb_private

#endif
