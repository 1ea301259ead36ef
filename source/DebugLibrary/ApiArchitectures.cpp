//===-- ApiArchitectures.cpp - ROCdbgapi: architectures and instructions --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include "wavelane/GPU/Features.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_get_info(
    amd_dbgapi_architecture_id_t Id, amd_dbgapi_architecture_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  switch (Query) {
  case AMD_DBGAPI_ARCHITECTURE_INFO_NAME:
    return giveString(Size, Value, Info->Arch->Name);
  case AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE:
    return give(Size, Value, Info->Arch->ElfMachine);
  case AMD_DBGAPI_ARCHITECTURE_INFO_LARGEST_INSTRUCTION_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(Info->LargestInstruction));
  case AMD_DBGAPI_ARCHITECTURE_INFO_MINIMUM_INSTRUCTION_ALIGNMENT:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST:
    return give(Size, Value, amd_dbgapi_size_t(4));
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION:
    return giveBytes(Size, Value, &Info->Breakpoint, 4);
  case AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER:
    return give(Size, Value,
                amd_dbgapi_register_id_t{partHandle(*Info, Info->PcRegister)});
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_get_architecture(
    uint32_t Machine, amd_dbgapi_architecture_id_t *Id) {
  NEEDS_LIBRARY();
  if (!Id)
    return Invalid;
  for (const ArchitectureInfo &Info : allArchitectures())
    if (Info.Arch->ElfMachine == Machine) {
      *Id = handleOf(Info);
      return Success;
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_ELF_AMDGPU_MACHINE;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_disassemble_instruction(
    amd_dbgapi_architecture_id_t Id, amd_dbgapi_global_address_t Address,
    amd_dbgapi_size_t *Size, const void *Memory, char **Text,
    amd_dbgapi_symbolizer_id_t SymbolizerId,
    amd_dbgapi_status_t (*Symbolizer)(amd_dbgapi_symbolizer_id_t,
                                      amd_dbgapi_global_address_t, char **)) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!Size || !*Size || !Memory)
    return Invalid;
  InstructionDecoder *Decoder = InstructionDecoder::get(*Info->Arch);
  if (!Decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  Status SymbolStatus = Success;
  auto Symbolize = [&](uint64_t Target) -> std::string {
    if (!Symbolizer)
      return "";
    char *Symbol = nullptr;
    const Status Outcome = Symbolizer(SymbolizerId, Target, &Symbol);
    if (Outcome == AMD_DBGAPI_STATUS_ERROR_SYMBOL_NOT_FOUND)
      return "";
    if (Outcome != Success || !Symbol) {
      SymbolStatus = AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
      return "";
    }
    std::string Result = Symbol;
    library().Callbacks.deallocate_memory(Symbol);
    return Result;
  };
  std::optional<Instruction> Inst = Decoder->decode(
      Address,
      llvm::ArrayRef(static_cast<const uint8_t *>(Memory), size_t(*Size)),
      Text != nullptr, Symbolize);
  if (!Inst)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  if (SymbolStatus)
    return SymbolStatus;
  if (Text)
    if (Status Outcome = giveString(sizeof(char *), Text, Inst->Text))
      return Outcome;
  *Size = Inst->Size;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_classify_instruction(
    amd_dbgapi_architecture_id_t Id, amd_dbgapi_global_address_t Address,
    amd_dbgapi_size_t *Size, const void *Memory,
    amd_dbgapi_instruction_kind_t *Kind,
    amd_dbgapi_instruction_properties_t *Properties, void **Information) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!Size || !*Size || !Memory || !Kind)
    return Invalid;
  InstructionDecoder *Decoder = InstructionDecoder::get(*Info->Arch);
  if (!Decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  std::optional<Instruction> I = Decoder->decode(
      Address,
      llvm::ArrayRef(static_cast<const uint8_t *>(Memory), size_t(*Size)),
      false);
  if (!I)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  // The two registers of a pair.
  auto Half = [&](unsigned Pair, unsigned Which) -> amd_dbgapi_register_id_t {
    if (Pair < PairVcc &&
        Pair + Which <
            106 -
                (wavelane::gpu::features(*Info->Arch).HasScratchSgprs ? 4 : 0))
      return {partHandle(*Info, Info->FirstScalar + Pair + Which)};
    return AMD_DBGAPI_REGISTER_NONE;
  };
  if (Information) {
    *Information = nullptr;
    Status Outcome = Success;
    switch (I->Kind) {
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH:
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL:
      Outcome = giveBytes(sizeof(void *), Information, &I->Target, 8);
      break;
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR:
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_CONDITIONAL_REGISTER_PAIR: {
      const amd_dbgapi_register_id_t Pair[2] = {Half(I->Source, 0),
                                                Half(I->Source, 1)};
      Outcome = giveBytes(sizeof(void *), Information, Pair, sizeof(Pair));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR: {
      const amd_dbgapi_direct_call_register_pair_information_t Call = {
          I->Target, {Half(I->Destination, 0), Half(I->Destination, 1)}};
      Outcome = giveBytes(sizeof(void *), Information, &Call, sizeof(Call));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS: {
      const amd_dbgapi_register_id_t Pairs[4] = {
          Half(I->Source, 0), Half(I->Source, 1), Half(I->Destination, 0),
          Half(I->Destination, 1)};
      Outcome = giveBytes(sizeof(void *), Information, Pairs, sizeof(Pairs));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_TRAP:
      Outcome = giveBytes(sizeof(void *), Information, &I->Trap, 8);
      break;
    default:
      break;
    }
    if (Outcome)
      return Outcome;
  }
  *Kind = I->Kind;
  if (Properties)
    *Properties = AMD_DBGAPI_INSTRUCTION_PROPERTY_NONE;
  *Size = I->Size;
  return Success;
}
