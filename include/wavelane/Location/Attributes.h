//===-- Attributes.h - attributes that lanes have ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of lanes, where each one is, and which are active: DWARF 6 issue
// 211206.1 (DW_AT_num_lanes), the older DW_AT_lanes, and section A.3.3.5 of
// LLVM's "DWARF Extensions For Heterogeneous Debugging".
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_ATTRIBUTES_H
#define WAVELANE_LOCATION_ATTRIBUTES_H

#include "Evaluator.h"
#include "llvm/ADT/BitVector.h"

namespace wavelane::location {

/// The attributes known to this library, whatever their codes.
enum class LaneAttribute : uint8_t {
  None,
  NumLanes, ///< DW_AT_num_lanes, DW_AT_lanes, DW_AT_LLVM_lanes.
  LanePC,
  ActiveLane,
  VectorSize,
  Augmentation,
  Iterations,
  MemorySpace,
  AddressSpace,
  MemLocation, ///< The attributes of DW_TAG_object_map (issue 230712.4).
  ControlOrdinal,
  VecLocation,
  ElementSize,
  ElementCount,
  MapChunk,
};

constexpr uint16_t TagObjectMap = WAVELANE_TAG_object_map;

/// Classes of forms, which distinguish attributes with the same code.
enum class FormClass : uint8_t { Constant, Expression, List, String, Other };
FormClass getFormClass(uint16_t Form);

/// The meaning of an attribute according to Attributes.def; None for any other.
/// \param IsAMDUnit The unit's augmentation or producer says that it uses the
///     extension. Without it 0x3e08 to 0x3e0e are upstream LLVM's attributes.
LaneAttribute getAttribute(uint16_t Code, FormClass Class, bool IsAMDUnit);

/// The codes of attributes with that meaning, oldest first.
llvm::SmallVector<uint16_t, 4> getAttributeCodes(LaneAttribute Meaning);

/// Whether it is a DW_AT_augmentation such as "[amdgpu:v0.0]" or "[amd:v0.0]".
bool isAMDAugmentation(llvm::StringRef Augmentation);

/// The major version of clang in a DW_AT_producer; 0 for other compilers.
unsigned getClangVersion(llvm::StringRef Producer);

/// Whether what a clang of that version, or another compiler (0), writes has
/// the old numbers of address spaces: see UpstreamMapping::OldNumbers.
constexpr bool hasOldAddressSpaceNumbers(unsigned ClangVersion) {
  return ClangVersion <= 21;
}

/// The codes of DW_LANG_HIP: DWARF's and the AMD text's.
constexpr bool isLanguageHIP(uint16_t Language) {
  return Language == 0x0030 || Language == 0x8100;
}

/// An attribute's value: one of the three, or none if the attribute is missing.
struct AttributeValue {
  std::optional<uint64_t> Constant;
  std::optional<llvm::ArrayRef<uint8_t>> Expression;
  std::optional<std::vector<LocationListEntry>> List;

  explicit operator bool() const { return Constant || Expression || List; }
};

/// A count (lanes, iterations, elements): a constant, or the result of an
/// expression, a value or a location that is read as the generic type. A
/// location in memory is an error: the expression lacks an operation that turns
/// its address into a number.
/// \return nullopt if a list has no entry for the program location.
llvm::Expected<std::optional<uint64_t>>
evaluateCount(const AttributeValue &Value, Context &C,
              const EvaluationOptions &Options = {});

/// The lane count: like evaluateCount, but never 0, and \a Default if there is
/// none.
llvm::Expected<uint32_t>
evaluateLaneCount(const AttributeValue &Value, Context &C, uint32_t Default = 1,
                  const EvaluationOptions &Options = {});

/// Each lane's logical program location; nullopt for a lane that wasn't active
/// on entry. An element has the generic type. Empty if a list has no entry.
llvm::Expected<std::vector<std::optional<uint64_t>>>
evaluateLanePC(const AttributeValue &Value, uint32_t Lanes, Context &C,
               const EvaluationOptions &Options = {});

/// Which lanes are logically active; nullopt if a list has no entry.
llvm::Expected<std::optional<llvm::BitVector>>
evaluateActiveLanes(const AttributeValue &Value, uint32_t Lanes, Context &C,
                    const EvaluationOptions &Options = {});

/// The location that the attribute describes.
llvm::Expected<Location>
evaluateLocation(const AttributeValue &Value, Context &C,
                 const EvaluationOptions &Options = {});

/// The attributes of a DW_TAG_object_map (issue 230712.4).
struct ObjectMapAttributes {
  AttributeValue Memory; ///< mem_location
  AttributeValue Vector; ///< vec_location
  AttributeValue ElementSize, ElementCount;
  /// One of these: cntl_ordinal, the index of the first element of the chunk
  /// that is in registers, or map_chunk, that chunk's number, where 0 means
  /// none.
  AttributeValue ControlOrdinal, Chunk;
  /// Program locations, [first, second); if empty, the map holds everywhere.
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;

  /// The attribute with that meaning; null for one that object maps don't have.
  AttributeValue *find(LaneAttribute Meaning);
};

/// Evaluates an object map at the program location. If a chunk is larger than
/// the register at vec_location, the rest is in the following registers.
/// \param Options
///     The options of the evaluation that needs the map, whose limits apply.
llvm::Expected<ObjectMap>
evaluateObjectMap(const ObjectMapAttributes &Map, Context &C,
                  const EvaluationOptions &Options = {});

} // namespace wavelane::location

#endif
