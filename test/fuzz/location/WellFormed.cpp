// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Well-formed expressions in random contexts: they survive a round trip through
// the assembler, and are evaluated.
#include "FuzzContext.h"
#include <fuzzer/FuzzedDataProvider.h>

using namespace llvm;
using namespace wavelane::location;

static const std::vector<const OperationInfo *> &getAll() {
  static const std::vector<const OperationInfo *> All = [] {
    std::vector<const OperationInfo *> Infos;
    for (OperationCode Code = 0; Code < 256; ++Code)
      if (const OperationInfo *Info = findOperation(Code))
        Infos.push_back(Info);
    for (OperationCode Code = 0; Code < 0x2100; ++Code)
      if (const OperationInfo *Info = findOperation(UserBit | Code))
        Infos.push_back(Info);
    return Infos;
  }();
  return All;
}

static std::vector<SourceOperation>
make(FuzzedDataProvider &Input, const DecodeOptions &Options, unsigned Depth) {
  std::vector<SourceOperation> Operations;
  const unsigned Count = Input.ConsumeIntegralInRange<unsigned>(1, 24);
  for (unsigned I = 0; I < Count && Input.remaining_bytes(); ++I) {
    // Half of them are small constants and registers, as operands for the rest.
    const OperationInfo *Info =
        Input.ConsumeBool()
            ? findOperation(
                  Input.ConsumeIntegralInRange<OperationCode>(0x30, 0x8f))
            : getAll()[Input.ConsumeIntegralInRange<size_t>(0, getAll().size() -
                                                                   1)];
    SourceOperation Op;
    Op.Name = Info->Name;
    for (OperandKind Kind : Info->Operands) {
      switch (Kind) {
      case OperandKind::None:
        break;
      case OperandKind::U1:
      case OperandKind::TypeULEB:
        Op.Operands.push_back(Input.ConsumeIntegralInRange<int>(0, 127));
        break;
      case OperandKind::S1:
        Op.Operands.push_back(Input.ConsumeIntegral<int8_t>());
        break;
      case OperandKind::U2:
      case OperandKind::U4:
      case OperandKind::Offset:
        Op.Operands.push_back(Input.ConsumeIntegral<uint16_t>());
        break;
      case OperandKind::S2:
      case OperandKind::S4:
        Op.Operands.push_back(Input.ConsumeIntegral<int16_t>());
        break;
      case OperandKind::BranchS2:
        Op.Operands.push_back(Input.ConsumeIntegralInRange<int64_t>(
            -int64_t(I) - 1, int64_t(Count)));
        break;
      case OperandKind::Block:
      case OperandKind::TypedConst:
        Op.Block = Input.ConsumeBytes<uint8_t>(
            Input.ConsumeIntegralInRange<size_t>(0, 32));
        break;
      case OperandKind::Expression:
        if (Depth < 3) {
          Expected<std::vector<uint8_t>> Inner =
              assemble(make(Input, Options, Depth + 1), Options);
          if (Inner)
            Op.Block = *Inner;
          else
            consumeError(Inner.takeError());
        }
        break;
      default:
        // Mostly small numbers, which most operations accept.
        Op.Operands.push_back(Input.ConsumeBool()
                                  ? Input.ConsumeIntegralInRange<int64_t>(0, 64)
                                  : Input.ConsumeIntegral<int64_t>());
        break;
      }
    }
    Operations.push_back(std::move(Op));
  }
  return Operations;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  FuzzedDataProvider Input(Data, Size);
  FuzzContext C;
  C.Facts = Input.ConsumeIntegral<uint16_t>();
  C.Seed = Input.ConsumeIntegral<uint8_t>();
  // The assembler writes user operations, so 0xe9 must introduce them.
  const uint8_t How = Input.ConsumeIntegral<uint8_t>() & ~16;
  DecodeOptions Options;
  Options.AddressSize = uint8_t(C.getAddressSize());
  Expected<std::vector<uint8_t>> Bytes =
      assemble(make(Input, Options, 0), Options);
  if (!Bytes) {
    consumeError(Bytes.takeError());
    return 0;
  }
  // In text, branches count bytes instead of operations.
  Expected<std::string> Text = disassemble(*Bytes, Options);
  if (!Text)
    abort();
  if (Text->find("DW_OP_bra") == std::string::npos &&
      Text->find("DW_OP_skip") == std::string::npos) {
    Expected<std::vector<uint8_t>> Again = assembleText(*Text, Options);
    if (!Again || *Again != *Bytes)
      abort();
  }
  C.Entries = *Bytes;
  use(*Bytes, C, How);
  return 0;
}
