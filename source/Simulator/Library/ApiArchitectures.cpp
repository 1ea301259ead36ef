//===-- ApiArchitectures.cpp - ROCdbgapi: architectures and instructions --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_get_info(
    amd_dbgapi_architecture_id_t id, amd_dbgapi_architecture_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  switch (query) {
  case AMD_DBGAPI_ARCHITECTURE_INFO_NAME:
    return giveString(size, value, info->arch->Name);
  case AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE:
    return give(size, value, info->arch->ElfMachine);
  case AMD_DBGAPI_ARCHITECTURE_INFO_LARGEST_INSTRUCTION_SIZE:
    return give(size, value, amd_dbgapi_size_t(info->largestInstruction));
  case AMD_DBGAPI_ARCHITECTURE_INFO_MINIMUM_INSTRUCTION_ALIGNMENT:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST:
    return give(size, value, amd_dbgapi_size_t(4));
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION:
    return giveBytes(size, value, &info->breakpoint, 4);
  case AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER:
    return give(size, value,
                amd_dbgapi_register_id_t{partHandle(*info, info->pcRegister)});
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_get_architecture(
    uint32_t machine, amd_dbgapi_architecture_id_t *id) {
  NEEDS_LIBRARY();
  if (!id)
    return Invalid;
  for (const ArchitectureInfo &info : allArchitectures())
    if (info.arch->ElfMachine == machine) {
      *id = handleOf(info);
      return Success;
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_ELF_AMDGPU_MACHINE;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_disassemble_instruction(
    amd_dbgapi_architecture_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t *size, const void *memory, char **text,
    amd_dbgapi_symbolizer_id_t symbolizerId,
    amd_dbgapi_status_t (*symbolizer)(amd_dbgapi_symbolizer_id_t,
                                      amd_dbgapi_global_address_t, char **)) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!size || !*size || !memory)
    return Invalid;
  InstructionDecoder *decoder = InstructionDecoder::get(*info->arch);
  if (!decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  Status symbolStatus = Success;
  auto symbolize = [&](uint64_t target) -> std::string {
    if (!symbolizer)
      return "";
    char *symbol = nullptr;
    const Status status = symbolizer(symbolizerId, target, &symbol);
    if (status == AMD_DBGAPI_STATUS_ERROR_SYMBOL_NOT_FOUND)
      return "";
    if (status != Success || !symbol) {
      symbolStatus = AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
      return "";
    }
    std::string result = symbol;
    library().callbacks.deallocate_memory(symbol);
    return result;
  };
  std::optional<Instruction> instruction = decoder->decode(
      address,
      llvm::ArrayRef(static_cast<const uint8_t *>(memory), size_t(*size)),
      text != nullptr, symbolize);
  if (!instruction)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  if (symbolStatus)
    return symbolStatus;
  if (text)
    if (Status status = giveString(sizeof(char *), text, instruction->text))
      return status;
  *size = instruction->size;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_classify_instruction(
    amd_dbgapi_architecture_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t *size, const void *memory,
    amd_dbgapi_instruction_kind_t *kind,
    amd_dbgapi_instruction_properties_t *properties, void **information) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!size || !*size || !memory || !kind)
    return Invalid;
  InstructionDecoder *decoder = InstructionDecoder::get(*info->arch);
  if (!decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  std::optional<Instruction> i = decoder->decode(
      address,
      llvm::ArrayRef(static_cast<const uint8_t *>(memory), size_t(*size)),
      false);
  if (!i)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  // The two registers of a pair.
  auto half = [&](unsigned pair, unsigned which) -> amd_dbgapi_register_id_t {
    if (pair < PairVcc &&
        pair + which < 106 - (info->arch->generation() == 9 ? 4 : 0))
      return {partHandle(*info, info->firstScalar + pair + which)};
    return AMD_DBGAPI_REGISTER_NONE;
  };
  if (information) {
    *information = nullptr;
    Status status = Success;
    switch (i->kind) {
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH:
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL:
      status = giveBytes(sizeof(void *), information, &i->target, 8);
      break;
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR:
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_CONDITIONAL_REGISTER_PAIR: {
      const amd_dbgapi_register_id_t pair[2] = {half(i->source, 0),
                                                half(i->source, 1)};
      status = giveBytes(sizeof(void *), information, pair, sizeof(pair));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR: {
      const amd_dbgapi_direct_call_register_pair_information_t call = {
          i->target, {half(i->destination, 0), half(i->destination, 1)}};
      status = giveBytes(sizeof(void *), information, &call, sizeof(call));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS: {
      const amd_dbgapi_register_id_t pairs[4] = {
          half(i->source, 0), half(i->source, 1), half(i->destination, 0),
          half(i->destination, 1)};
      status = giveBytes(sizeof(void *), information, pairs, sizeof(pairs));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_TRAP:
      status = giveBytes(sizeof(void *), information, &i->trap, 8);
      break;
    default:
      break;
    }
    if (status)
      return status;
  }
  *kind = i->kind;
  if (properties)
    *properties = AMD_DBGAPI_INSTRUCTION_PROPERTY_NONE;
  *size = i->size;
  return Success;
}
