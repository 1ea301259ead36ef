//===-- StaleLocations.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaleLocations.h"
#include "KeptRegisters.h"
#include "LocationParts.h"
#include "MissingLocations.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "RegisterWriters.h"
#include "SourceValues.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace source = ::wavelane::source;
using source::AssignedVariable;
using source::Assignment;

namespace {

/// What is known of a variable at an instruction.
struct Claim {
  /// The parts of an object that have a place of another assignment. If it is
  /// empty, the whole variable has.
  llvm::SmallBitVector dropped;
  /// An instruction of the assignment that the location is of; 0 for a
  /// constant.
  addr_t writer = 0;
  /// The line of a constant's assignment; 0 if it has none.
  unsigned line = 0;
  enum class Kind : uint8_t {
    eEarlier,   ///< the location is of another assignment
    eOther,     ///< it is of another counter
    eUnordered, ///< the constants aren't in the order of the assignments
    eMemory     ///< no store of the assignment has been executed
  };
  Kind kind = Kind::eEarlier;
  bool operator==(const Claim &other) const {
    return writer == other.writer && line == other.line && kind == other.kind &&
           dropped == other.dropped;
  }
};

class Marker {
public:
  Marker(plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
         SourceValues &source, std::set<user_id_t> &filled)
      : m_symbols(symbols), m_function(function), m_source(source),
        m_filled(filled) {}

  void Mark(Block &block);

private:
  using Places = std::vector<source::Place>;

  bool ReadCode();
  /// Whether a location is \a is_asked for anywhere.
  bool
  HasLocation(const Variable &variable,
              llvm::function_ref<bool(llvm::ArrayRef<uint8_t>)> is_asked) const;
  /// Where the instructions are in the text of a call's function; a line of 0
  /// for those that aren't in it.
  const Places &GetPlaces(Block *call, const FileSpec &file);
  void MarkVariable(Variable &variable, Block &block,
                    const AssignedVariable &fact,
                    const source::ControlFlow &flow);
  /// Marks where a variable has a register that nothing has written yet.
  void MarkUnwritten(Variable &variable);
  /// Marks where a parameter that isn't assigned to has a register with
  /// something that the function has computed.
  void MarkParameter(Variable &variable, const source::Function &function);
  /// The assignments, by each instruction of the function or of \a call, that
  /// it may store.
  std::vector<llvm::SmallBitVector> FindStores(const AssignedVariable &fact,
                                               const Places &places,
                                               Block *call) const;
  /// Marks where a variable in memory lacks an assignment: its store was
  /// dropped, or comes later.
  void MarkMemory(Variable &variable, Block &block,
                  const AssignedVariable &fact);
  /// Whether the code is optimized: some variable isn't in one place
  /// everywhere.
  bool IsOptimized();
  using Locations = llvm::ArrayRef<const std::vector<LocationPart> *>;
  /// What is asked of a variable's locations.
  struct Question {
    const AssignedVariable &fact;
    const source::ControlFlow &flow;
    const Places &places;
    /// Its parts may have values of different assignments.
    bool has_parts = false;
    /// The first instruction of the variable's function, or of its call.
    std::optional<size_t> entry;
    /// The location at that instruction.
    std::vector<LocationPart> at_entry;
    /// The locations by instruction; null for others.
    std::vector<const std::vector<LocationPart> *> locations = {};
    llvm::SmallBitVector computed = {}; ///< FindComputedUpdates
    /// Constants that only the compiler knows, with their assignments, by part.
    std::map<std::pair<source::BitRange, uint64_t>, unsigned> learned = {};
    /// Where a part's updates are described, by the part and an instruction.
    std::map<std::pair<source::BitRange, size_t>, bool> described = {};
  };
  /// Whether the debug information has another value behind the constant that
  /// it has for a part around an instruction, and the code doesn't come back
  /// there behind an update.
  bool DescribesUpdates(Question &about, const LocationPart &piece,
                        size_t step) const;
  /// Whether a location behind a constant may be of an update of it.
  bool IsOfUpdate(const Question &about, const LocationPart &constant,
                  const LocationPart &next, size_t step) const;
  /// Whether constants follow each other that no update leads from one to the
  /// next.
  bool IsUnordered(const Question &about) const;
  /// Finds the constants that are there where only one assignment can be the
  /// last one, whose value the source doesn't show.
  void LearnConstants(Question &about) const;
  std::optional<Claim> JudgeConstant(Question &about, const LocationPart &piece,
                                     size_t step,
                                     const llvm::SmallBitVector &last) const;
  /// Marks where a piece of a location remains behind an update.
  void MarkPassed(const Question &about, size_t number,
                  const std::vector<LocationPart> *location,
                  std::vector<std::optional<Claim>> &claims) const;
  /// Marks where a piece of a location remains on a path on which it is of
  /// another assignment: behind a loop, that one may not have been executed.
  void MarkRemaining(const Question &about, size_t number,
                     const std::vector<LocationPart> *location,
                     std::vector<std::optional<Claim>> &claims) const;
  /// Adds what is known of a piece to what is known of a location.
  static void Add(std::optional<Claim> &all, const Claim &claim,
                  const Question &about, llvm::ArrayRef<LocationPart> pieces,
                  size_t number) {
    const bool is_part = about.has_parts && pieces.size() > 1;
    if (!all)
      all = is_part ? Claim{llvm::SmallBitVector(unsigned(pieces.size())), 0, 0}
                    : claim;
    if (is_part)
      all->dropped.set(unsigned(number));
  }
  /// The first instruction of a call; nullopt if it isn't known.
  std::optional<size_t> FindEntry(Block *call) const;
  std::optional<Claim> Judge(Question &about,
                             llvm::ArrayRef<LocationPart> pieces, size_t step);
  /// The assignments that change what they assign to, by an instruction.
  llvm::SmallBitVector FindComputedUpdates(const AssignedVariable &fact,
                                           const Places &places) const;
  std::optional<Claim> JudgeRegister(const Question &about,
                                     const LocationPart &piece, size_t step,
                                     const llvm::SmallBitVector &last);
  void Replace(Variable &variable,
               const std::vector<std::optional<Claim>> &claims);

  plugin::dwarf::SymbolFileDWARF &m_symbols;
  Function &m_function;
  SourceValues &m_source;
  std::set<user_id_t> &m_filled;
  bool m_has_read = false;
  std::optional<bool> m_is_optimized;
  std::unique_ptr<KeptRegisters> m_code;
  std::unique_ptr<RegisterWriters> m_writers;
  std::map<std::pair<Block *, std::string>, Places> m_places;
};

} // namespace

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

bool Marker::ReadCode() {
  if (!std::exchange(m_has_read, true)) {
    m_code = ReadKeptRegisters(m_symbols, m_function);
    if (m_code)
      m_writers = std::make_unique<RegisterWriters>(m_code->GetSteps());
  }
  return m_code && !m_code->GetSteps().empty();
}

static Block *GetCall(Block *block) {
  return block ? block->GetContainingInlinedBlock() : nullptr;
}

const Marker::Places &Marker::GetPlaces(Block *call, const FileSpec &file) {
  auto [known, is_new] = m_places.try_emplace({call, file.GetPath()});
  Places &places = known->second;
  if (!is_new)
    return places;
  CompileUnit *unit = m_function.GetCompileUnit();
  LineTable *table = unit ? unit->GetLineTable() : nullptr;
  ModuleSP module_sp = m_function.CalculateSymbolContextModule();
  Block &whole = m_function.GetBlock(/*can_create=*/true);
  const addr_t base = m_function.GetAddress().GetFileAddress();
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  places.resize(steps.size());
  addr_t behind = 0;
  LineEntry entry;
  for (size_t i = 0; table && i < steps.size(); ++i) {
    const addr_t at = steps[i].pc;
    Address address;
    if (at >= behind) {
      entry = LineEntry();
      if (!module_sp->ResolveFileAddress(at, address) ||
          !table->FindLineEntryByAddress(address, entry))
        continue;
      behind = entry.range.GetBaseAddress().GetFileAddress() +
               entry.range.GetByteSize();
    }
    Block *within = GetCall(whole.FindInnermostBlockByOffset(at - base));
    if (within == call) {
      if (entry.GetFile() == file)
        places[i] = {entry.line, entry.column};
      continue;
    }
    while (within && GetCall(within->GetParent()) != call)
      within = GetCall(within->GetParent());
    if (!within)
      continue;
    const Declaration &site = within->GetInlinedFunctionInfo()->GetCallSite();
    if (site.GetFile() == file)
      places[i] = {site.GetLine(), site.GetColumn()};
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// The part of a location for some bits; null if it has none.
static const LocationPart *FindPart(const std::vector<LocationPart> *location,
                                    const source::BitRange &bits) {
  for (const LocationPart &part :
       location ? llvm::ArrayRef(*location) : llvm::ArrayRef<LocationPart>())
    if (part.bits == bits && (part.reg || part.constant))
      return &part;
  return nullptr;
}

/// The location that a variable has at an instruction; empty if it has none, or
/// if what it lacks is known already.
static std::vector<uint8_t> ReadLocation(const Variable &variable, addr_t pc) {
  lldb_private::DataExtractor data;
  auto entry = variable.LocationExpressionList().GetExpressionEntryAtAddress(
      LLDB_INVALID_ADDRESS, pc);
  if (!entry || !entry->expr->GetExpressionData(data) ||
      MissingLocation::Decode(data.GetData()))
    return {};
  return data.GetData().vec();
}

/// Whether a location is a register, a constant or pieces of them.
static bool HasPieces(llvm::ArrayRef<uint8_t> location) {
  return !ReadLocationParts(location, /*size=*/1).empty();
}

/// Whether two constants are the same in a part.
static bool AreSame(uint64_t a, uint64_t b, const source::BitRange &bits) {
  return ((a ^ b) & llvm::maskTrailingOnes<uint64_t>(
                        unsigned(std::min<uint64_t>(bits.Size, 64)))) == 0;
}

/// The steps that may be executed just behind one.
static llvm::SmallVector<size_t, 2>
GetBehind(llvm::ArrayRef<RegisterStep> steps, size_t step) {
  llvm::SmallVector<size_t, 2> behind;
  if (steps[step].falls_through && step + 1 < steps.size())
    behind.push_back(step + 1);
  if (steps[step].target)
    behind.push_back(*steps[step].target);
  return behind;
}

bool Marker::IsOfUpdate(const Question &about, const LocationPart &constant,
                        const LocationPart &next, size_t step) const {
  const AssignedVariable &fact = about.fact;
  if (next.constant)
    return fact.Steps.empty()
               ? llvm::none_of(fact.Assignments,
                               [&](const Assignment &assignment) {
                                 const std::optional<uint64_t> assigned =
                                     assignment.findConstant(next.bits);
                                 return assigned &&
                                        AreSame(*assigned, *next.constant,
                                                next.bits);
                               })
               : fact.mayAdd(int64_t(*next.constant - *constant.constant));
  const RegisterWriters::Writers &writers = m_writers->Find(*next.reg, step);
  return llvm::any_of(writers.steps, [&](size_t writer) {
    const source::Place &place = about.places[writer];
    const std::optional<unsigned> at =
        place.Line ? fact.findAt(next.bits, place) : std::nullopt;
    return at && fact.Assignments[*at].IsUpdate;
  });
}

bool Marker::DescribesUpdates(Question &about, const LocationPart &piece,
                              size_t step) const {
  auto [known, is_new] = about.described.try_emplace({piece.bits, step}, false);
  if (!is_new)
    return known->second;
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  auto is_here = [&](size_t at) {
    const LocationPart *part = FindPart(about.locations[at], piece.bits);
    return part && part->constant &&
           AreSame(*part->constant, *piece.constant, piece.bits);
  };
  std::set<size_t> around{step};
  std::vector<size_t> open{step};
  bool is_described = false, returns = false;
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    auto go = [&](size_t next) {
      if (is_here(next) && around.insert(next).second)
        open.push_back(next);
    };
    for (size_t before : m_writers->GetBefore(at))
      go(before);
    for (size_t next : GetBehind(steps, at)) {
      go(next);
      const LocationPart *part = FindPart(about.locations[next], piece.bits);
      is_described |=
          !is_here(next) && part && IsOfUpdate(about, piece, *part, next);
    }
  }
  const llvm::SmallBitVector updates =
      about.fact.findUpdates(piece.bits, about.flow.Points.size());
  std::set<unsigned> lines;
  for (size_t end : around)
    if (steps[end].target && *steps[end].target <= end)
      for (size_t at = *steps[end].target; at <= end && around.count(at); ++at)
        if (const unsigned line = about.places[at].Line;
            line && lines.insert(line).second)
          returns |= about.flow.passes(line, line, updates);
  for (size_t at : around)
    about.described[{piece.bits, at}] = is_described && !returns;
  return is_described && !returns;
}

bool Marker::IsUnordered(const Question &about) const {
  const AssignedVariable &fact = about.fact;
  const source::BitRange whole{0, fact.Size};
  if (!fact.IsComplete || fact.Steps.empty() || fact.Size > 64)
    return false;
  const uint64_t mask = llvm::maskTrailingOnes<uint64_t>(unsigned(fact.Size));
  std::set<uint64_t> assigned;
  for (const Assignment &assignment : fact.Assignments) {
    if (assignment.IsUpdate || assignment.K == Assignment::Kind::Undefined)
      continue;
    const std::optional<uint64_t> constant = assignment.findConstant(whole);
    if (!constant)
      return false;
    assigned.insert(*constant & mask);
  }
  for (size_t at = 0; at < about.locations.size(); ++at) {
    const LocationPart *part = FindPart(about.locations[at], whole);
    for (size_t before : m_writers->GetBefore(at)) {
      const LocationPart *from = FindPart(about.locations[before], whole);
      if (!part || !part->constant || !from || !from->constant)
        continue;
      const uint64_t now = *part->constant & mask,
                     then = *from->constant & mask;
      const unsigned size = unsigned(fact.Size);
      // As numbers with a sign, and without.
      if (now != then && !assigned.count(now) &&
          !fact.mayAdd(int64_t(now - then)) &&
          !fact.mayAdd(llvm::SignExtend64(now, size) -
                       llvm::SignExtend64(then, size)))
        return true;
    }
  }
  return false;
}

llvm::SmallBitVector Marker::FindComputedUpdates(const AssignedVariable &fact,
                                                 const Places &places) const {
  llvm::SmallBitVector found(unsigned(fact.Assignments.size()));
  for (size_t i = 0; i < places.size(); ++i)
    for (unsigned number = 0; number < found.size(); ++number) {
      const Assignment &assignment = fact.Assignments[number];
      if (m_code->GetSteps()[i].computes && assignment.IsUpdate &&
          places[i].Line && assignment.Begin <= places[i] &&
          places[i] <= assignment.End)
        found.set(number);
    }
  return found;
}

std::optional<Claim> Marker::JudgeRegister(const Question &about,
                                           const LocationPart &piece,
                                           size_t step,
                                           const llvm::SmallBitVector &last) {
  const RegisterWriters::Writers &writers = m_writers->Find(*piece.reg, step);
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  // clang makes a loop count down to zero.
  if (llvm::any_of(writers.steps, [&](size_t writer) {
        return steps[writer].added && !about.fact.mayAdd(*steps[writer].added);
      }))
    return Claim{{}, 0, 0, Claim::Kind::eOther};
  // A parameter's register that still has what was passed.
  const bool is_passed =
      about.fact.Assignments[0].K == Assignment::Kind::Entry && about.entry &&
      llvm::any_of(about.at_entry,
                   [&](const LocationPart &other) {
                     return other.reg == piece.reg &&
                            other.bits.Offset == piece.bits.Offset;
                   }) &&
      m_writers->Find(*piece.reg, *about.entry) == writers;
  if (is_passed)
    return last.test(0) ? std::nullopt
                        : std::optional<Claim>(Claim{
                              {}, m_code->GetSteps()[*about.entry].pc, 0});
  // What was passed isn't the result of an update that is computed somewhere.
  if (writers.is_passed && !writers.has_unknown && writers.steps.empty())
    return last.test(about.computed)
               ? std::nullopt
               : std::optional<Claim>(Claim{{}, steps.front().pc, 0});
  if (writers.HasOthers() || writers.steps.empty())
    return std::nullopt;
  for (size_t writer : writers.steps) {
    const source::Place &place = about.places[writer];
    const std::optional<unsigned> at =
        place.Line ? about.fact.findAt(piece.bits, place) : std::nullopt;
    if (!at || last.test(*at))
      return std::nullopt;
  }
  return Claim{{}, m_code->GetSteps()[*writers.steps.rbegin()].pc, 0};
}

void Marker::LearnConstants(Question &about) const {
  const AssignedVariable &fact = about.fact;
  std::set<std::pair<source::BitRange, uint64_t>> several;
  for (size_t i = 0; i < about.locations.size(); ++i) {
    const unsigned line = about.places[i].Line;
    if (!about.locations[i] || !line)
      continue;
    for (const LocationPart &part : *about.locations[i]) {
      const llvm::SmallBitVector *last =
          part.constant ? fact.findLast(part.bits, line) : nullptr;
      if (!last || last->count() != 1)
        continue;
      const unsigned only = unsigned(last->find_first());
      const Assignment &assignment = fact.Assignments[only];
      auto is_known = [&](const Assignment &other) {
        const auto constant = other.findConstant(part.bits);
        return constant && AreSame(*constant, *part.constant, part.bits);
      };
      if (assignment.K != Assignment::Kind::Value || assignment.IsUncertain ||
          assignment.findConstant(part.bits) ||
          llvm::any_of(fact.Assignments, is_known))
        continue;
      auto [known, is_new] =
          about.learned.try_emplace({part.bits, *part.constant}, only);
      if (!is_new && known->second != only)
        several.insert(known->first);
    }
  }
  for (const auto &constant : several)
    about.learned.erase(constant);
}

std::optional<Claim>
Marker::JudgeConstant(Question &about, const LocationPart &piece, size_t step,
                      const llvm::SmallBitVector &last) const {
  const AssignedVariable &fact = about.fact;
  const auto learned = about.learned.find({piece.bits, *piece.constant});
  auto find_constant = [&](unsigned number) {
    return learned != about.learned.end() && learned->second == number
               ? piece.constant
               : fact.Assignments[number].findConstant(piece.bits);
  };
  auto is_same = [&](unsigned number) {
    const std::optional<uint64_t> constant = find_constant(number);
    return constant && AreSame(*constant, *piece.constant, piece.bits);
  };
  bool has_unknown = false, is_uncertain = false;
  std::optional<unsigned> same;
  for (unsigned i : last.set_bits()) {
    const Assignment &assignment = fact.Assignments[i];
    if (assignment.K == Assignment::Kind::Escape) {
      is_uncertain = true;
      continue;
    }
    // What is passed, or assigned, may be a constant that only the compiler
    // knows.
    if (assignment.K != Assignment::Kind::Value)
      return std::nullopt;
    const bool is_unknown = !find_constant(i);
    has_unknown |= is_unknown;
    is_uncertain |=
        assignment.IsUncertain || (is_unknown && assignment.IsUpdate &&
                                   !DescribesUpdates(about, piece, step));
    if (!is_same(i))
      continue;
    if (assignment.IsUncertain)
      return std::nullopt;
    same = assignment.Begin.Line;
  }
  // Something that may have changed it since isn't described, as it seems.
  if (same)
    return is_uncertain ? std::optional<Claim>(Claim{{}, 0, *same})
                        : std::nullopt;
  for (unsigned i = 0; i < fact.Assignments.size(); ++i)
    if (!last.test(i) && is_same(i))
      return Claim{{}, 0, fact.Assignments[i].Begin.Line};
  // What a reference may have changed has a constant from before, or from
  // behind that.
  const bool may_be_old =
      has_unknown && llvm::any_of(last.set_bits(), [&](unsigned i) {
        return fact.Assignments[i].K == Assignment::Kind::Escape;
      });
  return may_be_old || !(has_unknown || is_uncertain || !fact.IsComplete)
             ? std::optional<Claim>(Claim())
             : std::nullopt;
}

std::optional<size_t> Marker::FindEntry(Block *call) const {
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  addr_t lowest = m_function.GetAddress().GetFileAddress();
  AddressRange range;
  if (call) {
    lowest = LLDB_INVALID_ADDRESS;
    for (uint32_t i = 0; call->GetRangeAtIndex(i, range); ++i)
      lowest = std::min(lowest, range.GetBaseAddress().GetFileAddress());
  }
  auto at = llvm::partition_point(
      steps, [&](const RegisterStep &step) { return step.pc < lowest; });
  return at != steps.end() && at->pc == lowest
             ? std::optional<size_t>(at - steps.begin())
             : std::nullopt;
}

std::optional<Claim> Marker::Judge(Question &about,
                                   llvm::ArrayRef<LocationPart> pieces,
                                   size_t step) {
  const unsigned line = about.places[step].Line;
  std::optional<Claim> all;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const LocationPart &piece = pieces[i];
    const llvm::SmallBitVector *last =
        line ? about.fact.findLast(piece.bits, line) : nullptr;
    if (!last || last->none())
      continue;
    std::optional<Claim> claim;
    if (piece.reg)
      claim = JudgeRegister(about, piece, step, *last);
    else if (piece.constant)
      claim = JudgeConstant(about, piece, step, *last);
    if (claim)
      Add(all, *claim, about, pieces, i);
  }
  return all;
}

bool Marker::HasLocation(
    const Variable &variable,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t>)> is_asked) const {
  constexpr addr_t alignment = 4; // of instructions
  const DWARFExpressionList &list = variable.LocationExpressionList();
  auto has = [&](const DWARFExpression *expression) {
    lldb_private::DataExtractor data;
    return expression && expression->GetExpressionData(data) &&
           is_asked(data.GetData());
  };
  if (const DWARFExpression *always = list.GetAlwaysValidExpr())
    return has(always);
  if (!list.IsValid())
    return false;
  for (const AddressRange &range : m_function.GetAddressRanges()) {
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    const DWARFExpression *last = nullptr;
    for (addr_t at = begin; at < begin + range.GetByteSize(); at += alignment) {
      auto entry = list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, at);
      const DWARFExpression *now = entry ? entry->expr : nullptr;
      if (now != last && has(now))
        return true;
      last = now;
    }
  }
  return false;
}

namespace {

/// What is known in front of an instruction of a location's.
struct FlowState {
  bool is_reached = false;
  /// The last ordered instructions; none since the location began.
  std::set<size_t> ordered;
  /// On each path, an update has been passed.
  bool is_stale = false;
  /// An instruction in front of the last one.
  addr_t known = 0;

  bool operator==(const FlowState &other) const {
    return is_reached == other.is_reached && ordered == other.ordered &&
           is_stale == other.is_stale && known == other.known;
  }
  void Join(const FlowState &other) {
    is_stale = other.is_stale && (is_stale || !is_reached);
    is_reached = true;
    ordered.insert(other.ordered.begin(), other.ordered.end());
    known = std::max(known, other.known);
  }
};

} // namespace

/// Whether an instruction may write what a piece of a location is made of.
static bool MayWrite(const RegisterStep &step, const LocationPart &piece) {
  return (piece.reg && step.MayWrite(*piece.reg)) ||
         llvm::any_of(piece.computed_from,
                      [&](const auto &reg) { return step.MayWrite(reg); });
}

void Marker::MarkPassed(const Question &about, size_t number,
                        const std::vector<LocationPart> *location,
                        std::vector<std::optional<Claim>> &claims) const {
  const Locations places = about.locations;
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  const LocationPart &piece = (*location)[number];
  if (!piece.reg && !piece.constant && piece.computed_from.empty())
    return;
  llvm::SmallBitVector updates =
      about.fact.findUpdates(piece.bits, about.flow.Points.size());
  // What has a constant since is described as this constant.
  if (!piece.constant)
    updates |= about.fact.findConstants(piece.bits, about.flow.Points.size());
  if (updates.none())
    return;
  std::map<std::pair<unsigned, unsigned>, bool> known;
  auto passes = [&](unsigned from, unsigned to) {
    auto [at, is_new] = known.try_emplace({from, to});
    if (is_new)
      at->second = about.flow.passes(from, to, updates);
    return at->second;
  };
  std::vector<FlowState> behind(steps.size());
  constexpr unsigned most_rounds = 64;
  bool has_changed = true;
  for (unsigned round = 0; std::exchange(has_changed, false); ++round) {
    if (round == most_rounds)
      return;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (places[i] != location)
        continue;
      FlowState now;
      bool begins = i == 0;
      for (size_t before : m_writers->GetBefore(i)) {
        const RegisterStep &step = steps[before];
        if (places[before] != location || MayWrite(step, piece))
          begins = true;
        else if (behind[before].is_reached)
          now.Join(behind[before]);
      }
      if (begins) {
        FlowState start;
        start.is_reached = true;
        now.Join(start);
      }
      const unsigned line = about.places[i].Line;
      if (now.is_reached && steps[i].is_ordered && line) {
        // In a loop, an update in front of the loop has been passed.
        if (!now.ordered.empty() && llvm::all_of(now.ordered, [&](size_t from) {
              return behind[from].is_stale ||
                     passes(about.places[from].Line, line);
            })) {
          if (!std::exchange(now.is_stale, true))
            now.known = steps[*now.ordered.rbegin()].pc;
        }
        now.ordered = {i};
      }
      if (!(now == behind[i])) {
        behind[i] = std::move(now);
        has_changed = true;
      }
    }
  }
  for (size_t i = 0; i < steps.size(); ++i)
    if (places[i] == location && behind[i].is_stale)
      Add(claims[i], {{}, behind[i].known, 0}, about, *location, number);
}

void Marker::MarkRemaining(const Question &about, size_t number,
                           const std::vector<LocationPart> *location,
                           std::vector<std::optional<Claim>> &claims) const {
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  const LocationPart &piece = (*location)[number];
  auto find_last = [&](size_t step) {
    const unsigned line = about.places[step].Line;
    return line ? about.fact.findLast(piece.bits, line) : nullptr;
  };
  // The assignments that are missed behind an instruction.
  const llvm::SmallBitVector none(unsigned(about.fact.Assignments.size()));
  std::vector<llvm::SmallBitVector> missed(steps.size(), none);
  addr_t writer = 0;
  std::vector<size_t> open;
  for (size_t i = 0; i < steps.size(); ++i) {
    const llvm::SmallBitVector *last = find_last(i);
    if (about.locations[i] != location || !steps[i].is_ordered || !claims[i] ||
        !last)
      continue;
    const Claim &claim = *claims[i];
    if (claim.dropped.empty() ? !claim.writer
                              : !claim.dropped.test(unsigned(number)))
      continue;
    writer = claim.writer;
    missed[i] = *last;
    open.push_back(i);
  }
  std::set<size_t> remaining;
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (MayWrite(steps[at], piece))
      continue;
    for (size_t next : GetBehind(steps, at)) {
      if (about.locations[next] != location)
        continue;
      llvm::SmallBitVector still = missed[at];
      if (const llvm::SmallBitVector *last = find_last(next)) {
        still &= *last;
        if (still.any())
          remaining.insert(next);
      }
      if (!still.test(missed[next]))
        continue;
      missed[next] |= still;
      open.push_back(next);
    }
  }
  for (size_t i : remaining)
    if (!claims[i])
      Add(claims[i], {{}, writer, 0}, about, *location, number);
}

void Marker::MarkVariable(Variable &variable, Block &block,
                          const AssignedVariable &fact,
                          const source::ControlFlow &flow) {
  if (!ReadCode())
    return;
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  Block *const call = GetCall(&block);
  Type *type = variable.GetType();
  Question about{fact,
                 flow,
                 GetPlaces(call, variable.GetDeclaration().GetFile()),
                 type && type->GetForwardCompilerType().IsAggregateType(),
                 FindEntry(call),
                 {}};
  const source::BitRange whole{0, fact.Size};
  std::map<std::vector<uint8_t>, std::vector<LocationPart>> known;
  about.locations.resize(steps.size());
  about.computed = FindComputedUpdates(fact, about.places);
  std::vector<std::optional<Claim>> claims(steps.size());
  if (about.entry)
    about.at_entry = ReadLocationParts(
        ReadLocation(variable, steps[*about.entry].pc), fact.Size);
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<uint8_t> location = ReadLocation(variable, steps[i].pc);
    if (location.empty())
      continue;
    auto [pieces, is_new] = known.try_emplace(location);
    if (is_new)
      pieces->second = ReadLocationParts(location, fact.Size);
    about.locations[i] = &pieces->second;
  }
  LearnConstants(about);
  const bool is_unordered = IsUnordered(about);
  for (size_t i = 0; i < steps.size(); ++i)
    if (const std::vector<LocationPart> *pieces = about.locations[i])
      claims[i] = is_unordered && FindPart(pieces, whole) &&
                          FindPart(pieces, whole)->constant
                      ? Claim{{}, 0, 0, Claim::Kind::eUnordered}
                      : Judge(about, *pieces, i);
  for (const auto &[bytes, pieces] : known)
    for (size_t i = 0; i < pieces.size(); ++i)
      MarkPassed(about, i, &pieces, claims);
  for (const auto &[bytes, pieces] : known)
    for (size_t i = 0; i < pieces.size(); ++i)
      MarkRemaining(about, i, &pieces, claims);
  if (llvm::any_of(claims, [](const auto &claim) { return claim.has_value(); }))
    Replace(variable, claims);
}

static bool HasMovingVariable(Block &block) {
  if (VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false))
    for (const VariableSP &variable_sp : *list_sp)
      if (variable_sp->GetScope() == eValueTypeVariableLocal &&
          !variable_sp->LocationExpressionList().GetAlwaysValidExpr())
        return true;
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    if (HasMovingVariable(*child))
      return true;
  return false;
}

bool Marker::IsOptimized() {
  if (!m_is_optimized)
    m_is_optimized = HasMovingVariable(m_function.GetBlock(false));
  return *m_is_optimized;
}

std::vector<llvm::SmallBitVector>
Marker::FindStores(const AssignedVariable &fact, const Places &places,
                   Block *call) const {
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  const addr_t base = m_function.GetAddress().GetFileAddress();
  const unsigned count = unsigned(fact.Assignments.size());
  std::vector<llvm::SmallBitVector> stores(steps.size(),
                                           llvm::SmallBitVector(count));
  for (size_t step = 0; step < steps.size(); ++step) {
    if (!steps[step].stores || (call && !call->Contains(steps[step].pc - base)))
      continue;
    const source::Place &at = places[step];
    const uint64_t bits = steps[step].stored_bits;
    llvm::SmallBitVector &stored = stores[step];
    // A store has the place of one of those that it was made of. A place
    // without a column is a merged one.
    uint64_t smallest = bits;
    for (unsigned i = 0; i < count; ++i) {
      const Assignment &assignment = fact.Assignments[i];
      if (!at.Line ||
          (at.Column ? assignment.Begin <= at && at <= assignment.End
                     : assignment.Begin.Line <= at.Line &&
                           at.Line <= assignment.End.Line)) {
        stored.set(i);
        smallest = std::min(smallest, assignment.Bits.Size);
      }
    }
    if (stored.none() || steps[step].calls)
      continue;
    for (unsigned i = 0; i < count; ++i)
      if (!bits || smallest < bits || fact.Assignments[i].Bits.Size < bits)
        stored.set(i);
  }
  return stores;
}

void Marker::MarkMemory(Variable &variable, Block &block,
                        const AssignedVariable &fact) {
  if (!ReadCode())
    return;
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  Block *const call = GetCall(&block);
  const Places &places = GetPlaces(call, variable.GetDeclaration().GetFile());
  const unsigned count = unsigned(fact.Assignments.size());
  const std::vector<llvm::SmallBitVector> stores =
      FindStores(fact, places, call);
  llvm::SmallBitVector stored_anywhere(count);
  for (const llvm::SmallBitVector &some : stores)
    stored_anywhere |= some;
  std::vector<llvm::SmallBitVector> stored(steps.size(),
                                           llvm::SmallBitVector(count));
  for (bool has_changed = true; std::exchange(has_changed, false);)
    for (size_t i = 0; i < steps.size(); ++i)
      for (size_t before : m_writers->GetBefore(i)) {
        llvm::SmallBitVector now = stored[before];
        now |= stores[before];
        if (now.test(stored[i])) {
          stored[i] |= now;
          has_changed = true;
        }
      }
  auto lacks = [&](size_t step, const source::PartLines &lines) {
    const auto last = lines.find(places[step].Line);
    if (last == lines.end())
      return false;
    bool has_any = false;
    for (unsigned i : last->second.set_bits()) {
      const Assignment &assignment = fact.Assignments[i];
      if (assignment.K == Assignment::Kind::Escape)
        continue;
      if (assignment.K != Assignment::Kind::Value || assignment.IsUncertain ||
          stored[step].test(i) ||
          // A copied object may have the other's memory.
          (assignment.IsCopy && !stored_anywhere.test(i)))
        return false;
      has_any = true;
    }
    return has_any;
  };
  std::vector<std::optional<Claim>> claims(steps.size());
  bool has_claim = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!places[i].Line || !IsInMemory(ReadLocation(variable, steps[i].pc)) ||
        llvm::none_of(fact.Parts,
                      [&](const auto &part) { return lacks(i, part.second); }))
      continue;
    claims[i] = Claim{{}, 0, 0, Claim::Kind::eMemory};
    has_claim = true;
  }
  if (has_claim)
    Replace(variable, claims);
}

void Marker::MarkUnwritten(Variable &variable) {
  if (!ReadCode())
    return;
  constexpr uint64_t bits = 32; // of a register; smaller numbers are in one
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  std::map<std::vector<uint8_t>, std::vector<LocationPart>> known;
  std::vector<std::optional<Claim>> claims(steps.size());
  bool has_claim = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<uint8_t> location = ReadLocation(variable, steps[i].pc);
    if (location.empty())
      continue;
    auto [pieces, is_new] = known.try_emplace(location);
    if (is_new)
      pieces->second = ReadLocationParts(location, bits);
    const std::vector<LocationPart> &parts = pieces->second;
    auto is_unwritten = [&](const LocationPart::Register &reg) {
      return m_writers->IsUnwritten(reg, i);
    };
    llvm::SmallBitVector unwritten(unsigned(parts.size()));
    for (size_t part = 0; part < parts.size(); ++part)
      if ((parts[part].reg && is_unwritten(*parts[part].reg)) ||
          llvm::any_of(parts[part].computed_from, is_unwritten))
        unwritten.set(unsigned(part));
    if (unwritten.none())
      continue;
    claims[i] = Claim{{}, 0, 0, Claim::Kind::eOther};
    if (parts.size() > 1)
      claims[i] = Claim{unwritten, 0, 0};
    has_claim = true;
  }
  if (has_claim)
    Replace(variable, claims);
}

void Marker::MarkParameter(Variable &variable,
                           const source::Function &function) {
  if (!ReadCode())
    return;
  constexpr uint64_t bits = 32; // smaller ones are extended
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  const Places &places =
      GetPlaces(/*call=*/nullptr, variable.GetDeclaration().GetFile());
  const llvm::StringRef name =
      m_function.GetMangled().GetMangledName().GetStringRef();
  // A call of itself may have become a loop, which computes what is passed.
  auto repeats = [&](unsigned line) {
    return llvm::any_of(function.Calls, [&](const source::Call &call) {
      return call.Line == line && call.Callee == name;
    });
  };
  auto is_other = [&](size_t writer) {
    return steps[writer].computes && places[writer].Line &&
           !repeats(places[writer].Line);
  };
  std::vector<std::optional<Claim>> claims(steps.size());
  bool has_claim = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const LocationPart &part :
         ReadLocationParts(ReadLocation(variable, steps[i].pc), bits)) {
      if (!part.reg || part.bits.Size < bits)
        continue;
      const RegisterWriters::Writers &writers = m_writers->Find(*part.reg, i);
      if (writers.HasOthers() || writers.steps.empty() ||
          !llvm::all_of(writers.steps, is_other))
        continue;
      claims[i] = Claim{{}, 0, 0, Claim::Kind::eOther};
      has_claim = true;
    }
  }
  if (has_claim)
    Replace(variable, claims);
}

void Marker::Replace(Variable &variable,
                     const std::vector<std::optional<Claim>> &claims) {
  const llvm::ArrayRef<RegisterStep> steps = m_code->GetSteps();
  const DWARFExpressionList &list = variable.LocationExpressionList();
  DWARFExpressionList changed(m_function.CalculateSymbolContextModule(),
                              m_symbols.GetDIE(variable.GetID()).GetCU(),
                              m_function.GetAddress().GetFileAddress());
  Type *type = variable.GetType();
  const uint64_t size =
      type ? llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0)
           : 0;
  const DWARFExpression *current = nullptr;
  std::optional<Claim> claim;
  addr_t begin = 0, end = 0;
  auto add_expression = [&](const std::vector<uint8_t> &bytes) {
    changed.AddExpression(
        begin, end,
        DWARFExpression(lldb_private::DataExtractor(
            std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
            eByteOrderLittle, /*addr_size=*/8)));
  };
  auto add = [&] {
    if (!current)
      return;
    if (!claim) {
      changed.AddExpression(begin, end, *current);
      return;
    }
    MissingLocation missing;
    lldb_private::DataExtractor data;
    if (!claim->dropped.empty()) {
      current->GetExpressionData(data);
      add_expression(DropLocationParts(data.GetData(), claim->dropped));
      return;
    }
    const bool is_kept = claim->writer || claim->kind == Claim::Kind::eMemory;
    if (is_kept && current->GetExpressionData(data) && size) {
      missing.kind = MissingLocation::Kind::eArgument;
      missing.source = MissingLocation::Source::eKept;
      missing.number = claim->writer;
      missing.size = size;
      missing.variable = variable.GetID();
      missing.kept = data.GetData().vec();
    } else {
      missing.kind = claim->kind == Claim::Kind::eOther
                         ? MissingLocation::Kind::eOther
                     : claim->kind == Claim::Kind::eUnordered
                         ? MissingLocation::Kind::eUnordered
                         : MissingLocation::Kind::eFirstValue;
      missing.number = claim->line;
    }
    add_expression(missing.Encode());
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    auto entry =
        list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, steps[i].pc);
    const DWARFExpression *next = entry ? entry->expr : nullptr;
    if (next != current || !(claims[i] == claim) || steps[i].pc != end) {
      add();
      current = next;
      claim = claims[i];
      begin = steps[i].pc;
    }
    end = steps[i].end;
  }
  add();
  changed.Sort();
  variable.LocationExpressionList() = std::move(changed);
  m_filled.insert(variable.GetID());
}

void Marker::Mark(Block &block) {
  if (VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false))
    for (const VariableSP &variable_sp : *list_sp) {
      const ValueType scope = variable_sp->GetScope();
      if (scope != eValueTypeVariableLocal &&
          scope != eValueTypeVariableArgument)
        continue;
      const bool has_pieces = HasLocation(*variable_sp, HasPieces);
      const bool is_stored =
          IsOptimized() && HasLocation(*variable_sp, IsInMemory);
      if (!has_pieces && !is_stored)
        continue;
      if (has_pieces)
        MarkUnwritten(*variable_sp);
      const SourceValues::Assigned found = m_source.FindAssigned(*variable_sp);
      if (found.variable && is_stored)
        MarkMemory(*variable_sp, block, *found.variable);
      if (found.variable && has_pieces)
        MarkVariable(*variable_sp, block, *found.variable,
                     found.function->Flow);
      else if (has_pieces && scope == eValueTypeVariableArgument &&
               !GetCall(&block))
        if (const source::Function *function =
                m_source.FindPassing(*variable_sp))
          MarkParameter(*variable_sp, *function);
    }
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    Mark(*child);
}

void lldb_private::wavelane::MarkStaleLocations(
    plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
    SourceValues &source, std::set<user_id_t> &filled) {
  Marker(symbols, function, source, filled)
      .Mark(function.GetBlock(/*can_create=*/true));
}
