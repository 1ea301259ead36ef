//===-- GPURegisters.cpp - The registers of waves -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPURegisters.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <numeric>

using namespace lldb_private;
using namespace lldb;
using llvm::StringRef;

namespace wavelane::server {

namespace {

enum Set { General, Scalar, Vector, Accumulation, System, SetCount };
constexpr const char *SetNames[SetCount] = {"General", "Scalar", "Vector",
                                            "Accumulation", "System"};

struct Register {
  /// By architecture.
  llvm::SmallVector<std::pair<uint64_t, amd_dbgapi_register_id_t>, 1> ids;
  std::string name, type;
  uint64_t size = 0;
  std::optional<uint64_t> dwarf;
  Set set = General;
  bool is_pc = false;
};

bool IsNumbered(StringRef name, char letter) {
  return name.size() > 1 && name[0] == letter &&
         name.drop_front().find_if_not(
             [](char c) { return llvm::isDigit(c); }) == StringRef::npos;
}

Set ClassifyRegister(StringRef name, bool is_system) {
  if (IsNumbered(name, 'v'))
    return Vector;
  if (IsNumbered(name, 'a'))
    return Accumulation;
  if (IsNumbered(name, 's'))
    return Scalar;
  return is_system || name.starts_with("ttmp") ? System : General;
}

} // namespace

/// The registers of one architecture, once for each name and size. Scalar
/// registers that are part of others are listed twice; keep the one with a
/// DWARF number.
static llvm::Expected<std::vector<Register>>
GetRegistersOf(GPUSession &session, amd_dbgapi_architecture_id_t architecture) {
  const debugapi::Functions &fn = session.fn();
  auto ids = session.List<amd_dbgapi_register_id_t>(
      "listing registers",
      [&](size_t *count, amd_dbgapi_register_id_t **items) {
        return fn.architecture_register_list(architecture, count, items);
      });
  if (!ids)
    return ids.takeError();
  auto classes = session.List<amd_dbgapi_register_class_id_t>(
      "listing classes of registers",
      [&](size_t *count, amd_dbgapi_register_class_id_t **items) {
        return fn.architecture_register_class_list(architecture, count, items);
      });
  if (!classes)
    return classes.takeError();
  // Classes "system" and "trap".
  std::vector<amd_dbgapi_register_class_id_t> system_classes;
  for (amd_dbgapi_register_class_id_t item : *classes) {
    auto name = session.GetString(fn.architecture_register_class_get_info, item,
                                  AMD_DBGAPI_REGISTER_CLASS_INFO_NAME);
    if (name == "system" || name == "trap")
      system_classes.push_back(item);
  }
  auto pc = session.Get<amd_dbgapi_register_id_t>(
      fn.architecture_get_info, architecture,
      AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER);
  std::vector<Register> registers;
  if (!pc)
    return registers;
  std::map<std::pair<std::string, uint64_t>, size_t> known;
  for (amd_dbgapi_register_id_t id : *ids) {
    auto name = session.GetString(fn.register_get_info, id,
                                  AMD_DBGAPI_REGISTER_INFO_NAME);
    auto size = session.Get<amd_dbgapi_size_t>(fn.register_get_info, id,
                                               AMD_DBGAPI_REGISTER_INFO_SIZE);
    if (!name || name->empty() || !size || *size == 0 ||
        *size > RegisterValue::kMaxRegisterByteSize)
      continue;
    Register item;
    item.ids.push_back({architecture.handle, id});
    item.name = *name;
    item.size = *size;
    item.type =
        session
            .GetString(fn.register_get_info, id, AMD_DBGAPI_REGISTER_INFO_TYPE)
            .value_or("");
    item.dwarf = session.Get<uint64_t>(fn.register_get_info, id,
                                       AMD_DBGAPI_REGISTER_INFO_DWARF);
    bool is_system = false;
    for (amd_dbgapi_register_class_id_t item_class : system_classes) {
      amd_dbgapi_register_class_state_t state =
          AMD_DBGAPI_REGISTER_CLASS_STATE_NOT_MEMBER;
      if (fn.register_is_in_register_class(item_class, id, &state) ==
              AMD_DBGAPI_STATUS_SUCCESS &&
          state == AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER)
        is_system = true;
    }
    item.is_pc = id.handle == pc->handle;
    item.set = ClassifyRegister(item.name, is_system && !item.is_pc);
    auto [place, is_new] =
        known.try_emplace({item.name, item.size}, registers.size());
    if (is_new)
      registers.push_back(std::move(item));
    else if (item.dwarf && !registers[place->second].dwarf)
      registers[place->second] = std::move(item);
  }
  return registers;
}

std::unique_ptr<GPURegisters> GPURegisters::Create(
    GPUSession &session,
    llvm::ArrayRef<amd_dbgapi_architecture_id_t> architectures) {
  std::vector<Register> kept;
  std::map<std::pair<std::string, uint64_t>, size_t> known;
  for (amd_dbgapi_architecture_id_t architecture : architectures) {
    auto registers = GetRegistersOf(session, architecture);
    if (!registers) {
      llvm::consumeError(registers.takeError());
      return nullptr;
    }
    for (Register &item : *registers) {
      auto [place, is_new] =
          known.try_emplace({item.name, item.size}, kept.size());
      if (is_new)
        kept.push_back(std::move(item));
      else
        kept[place->second].ids.append(item.ids);
    }
  }
  // If a name has several forms, wave64's is the larger.
  llvm::StringMap<uint64_t> smallest;
  for (const Register &item : kept) {
    auto [place, is_new] = smallest.try_emplace(item.name, item.size);
    place->second = std::min(place->second, item.size);
  }
  for (Register &item : kept)
    if (item.size > smallest[item.name])
      item.name += "_w64";

  auto rank = [&](const Register &item) {
    if (item.is_pc)
      return -2;
    if (item.name == "exec")
      return -1;
    return int(item.set);
  };
  std::vector<size_t> order(kept.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(rank(kept[a]), a) < std::make_pair(rank(kept[b]), b);
  });
  if (kept.size() < 2 || !kept[order[PC]].is_pc ||
      kept[order[Exec]].name != "exec")
    return nullptr;

  std::unique_ptr<GPURegisters> result(new GPURegisters);
  result->m_members.resize(SetCount);
  uint32_t offset = 0;
  for (size_t position : order) {
    const Register &item = kept[position];
    const uint32_t index = result->m_infos.size();
    result->m_names.push_back(item.name);
    RegisterInfo info = {};
    info.name = result->m_names.back().c_str();
    info.byte_size = item.size;
    info.byte_offset = offset;
    offset += item.size;
    const bool is_vector = StringRef(item.type).contains('[') || item.size > 8;
    info.encoding = is_vector ? eEncodingVector : eEncodingUint;
    info.format = is_vector ? eFormatVectorOfUInt32 : eFormatHex;
    for (uint32_t &kind : info.kinds)
      kind = LLDB_INVALID_REGNUM;
    info.kinds[eRegisterKindLLDB] = index;
    info.kinds[eRegisterKindProcessPlugin] = index;
    if (item.dwarf)
      info.kinds[eRegisterKindDWARF] = info.kinds[eRegisterKindEHFrame] =
          *item.dwarf;
    if (index == PC)
      info.kinds[eRegisterKindGeneric] = LLDB_REGNUM_GENERIC_PC;
    if (auto fields = RegisterFields::Parse(item.type))
      if (fields->bits == item.size * 8)
        result->m_fields.emplace(index, std::move(*fields));
    result->m_infos.push_back(info);
    result->m_ids.push_back(item.ids);
    result->m_members[item.set].push_back(index);
  }
  for (unsigned set = 0; set < SetCount; ++set)
    if (!result->m_members[set].empty())
      result->m_sets.push_back({SetNames[set], SetNames[set],
                                result->m_members[set].size(),
                                result->m_members[set].data()});
  return result;
}

const char *GPURegisters::GetSetName(uint32_t index) const {
  for (const RegisterSet &set : m_sets)
    if (llvm::is_contained(llvm::ArrayRef(set.registers, set.num_registers),
                           index))
      return set.name;
  return "General";
}

std::optional<uint32_t> GPURegisters::Find(StringRef name) const {
  for (uint32_t i = 0; i < m_infos.size(); ++i)
    if (name == m_infos[i].name)
      return i;
  return std::nullopt;
}

std::string GPURegisters::GetTargetXML() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<?xml version=\"1.0\"?>\n<target version=\"1.0\">\n"
         "  <architecture>amdgcn</architecture>\n  <feature>\n";
  std::vector<const char *> set_names(m_infos.size(), SetNames[General]);
  for (const RegisterSet &set : m_sets)
    for (size_t i = 0; i < set.num_registers; ++i)
      set_names[set.registers[i]] = set.name;
  auto get_type = [&](uint32_t index) {
    return std::string(m_infos[index].name) + "_flags";
  };
  for (const auto &[index, fields] : m_fields)
    out << fields.GetXML(get_type(index));
  for (uint32_t i = 0; i < m_infos.size(); ++i) {
    const RegisterInfo &info = m_infos[i];
    out << "    <reg name=\"" << info.name << "\" bitsize=\""
        << info.byte_size * 8 << "\" regnum=\"" << i << "\" offset=\""
        << info.byte_offset << "\" ";
    if (info.encoding == eEncodingVector)
      out << "encoding=\"vector\" format=\"vector-uint32\" ";
    else
      out << "encoding=\"uint\" format=\"hex\" ";
    out << "group=\"" << set_names[i] << "\" ";
    if (info.kinds[eRegisterKindDWARF] != LLDB_INVALID_REGNUM)
      out << "ehframe_regnum=\"" << info.kinds[eRegisterKindEHFrame]
          << "\" dwarf_regnum=\"" << info.kinds[eRegisterKindDWARF] << "\" ";
    if (i == PC)
      out << "generic=\"pc\" ";
    if (m_fields.count(i))
      out << "type=\"" << get_type(i) << "\" ";
    out << "/>\n";
  }
  out << "  </feature>\n</target>\n";
  return text;
}

std::string GPURegisters::GetRegisterInfo(uint32_t index) const {
  std::string text;
  if (index >= m_infos.size())
    return text;
  llvm::raw_string_ostream out(text);
  const RegisterInfo &info = m_infos[index];
  out << "name:" << info.name << ";bitsize:" << info.byte_size * 8
      << ";offset:" << info.byte_offset << ";";
  if (info.encoding == eEncodingVector)
    out << "encoding:vector;format:vector-uint32;";
  else
    out << "encoding:uint;format:hex;";
  out << "set:" << GetSetName(index) << ";";
  if (info.kinds[eRegisterKindDWARF] != LLDB_INVALID_REGNUM)
    out << "ehframe:" << info.kinds[eRegisterKindEHFrame]
        << ";dwarf:" << info.kinds[eRegisterKindDWARF] << ";";
  if (index == PC)
    out << "generic:pc;";
  return text;
}

} // namespace wavelane::server
