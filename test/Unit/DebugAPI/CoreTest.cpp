//===-- CoreTest.cpp - The debug library on GPU core states ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates core states with the save-area writer for every GPU, opens them with
// the library, and compares every value. WAVELANE_TEST_DBGAPI names another
// library to run the tests with (AMDLibrary.h).
//
//===----------------------------------------------------------------------===//

#include "AMDLibrary.h"
#include "cores/CoreState.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>

using namespace wavelane;
using namespace wavelane::debugapi;
using namespace wavelane::savearea;
using namespace wavelane::test;

namespace {

constexpr auto Ok = AMD_DBGAPI_STATUS_SUCCESS;

class CoreBase {
protected:
  void open() {
    if (std::string Reason = reasonToSkip(); !Reason.empty())
      GTEST_SKIP() << Reason;
    auto Opened = Library::open(libraryPath());
    ASSERT_TRUE(bool(Opened)) << llvm::toString(Opened.takeError());
    Lib = *Opened;
    amd_dbgapi_callbacks_t Callbacks = {};
    Callbacks.allocate_memory = malloc;
    Callbacks.deallocate_memory = free;
    Callbacks.client_process_get_info = [](auto Client, auto Query, size_t Size,
                                           void *Value) {
      Core &File = *reinterpret_cast<Core *>(Client);
      if (Query != AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE ||
          Size != sizeof(amd_dbgapi_core_state_data_t))
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      void *Copy = malloc(File.note.size());
      memcpy(Copy, File.note.data(), File.note.size());
      amd_dbgapi_core_state_data_t Data = {AMD_DBGAPI_ENDIAN_LITTLE,
                                           File.note.size(), Copy};
      memcpy(Value, &Data, sizeof(Data));
      return Ok;
    };
    Callbacks.insert_breakpoint = [](auto, auto, auto) { return Ok; };
    Callbacks.remove_breakpoint = [](auto, auto) { return Ok; };
    Callbacks.xfer_global_memory = [](auto Client, auto Address, auto *Size,
                                      void *Read, const void *) {
      const Core &File = *reinterpret_cast<const Core *>(Client);
      if (!Read || !File.peek(Address, Read, *Size))
        return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
      return Ok;
    };
    Callbacks.log_message = [](auto, const char *) {};
    ASSERT_EQ(f().initialize(&Callbacks), Ok);
  }
  void close() {
    if (Lib)
      f().finalize();
  }
  const Functions &f() { return Lib->api(); }

  amd_dbgapi_status_t attach(Core &Core) {
    return f().process_attach(
        reinterpret_cast<amd_dbgapi_client_process_id_t>(&Core), &Process);
  }

  /// Takes all events.
  void drain() {
    for (;;) {
      amd_dbgapi_event_id_t Event;
      amd_dbgapi_event_kind_t Kind;
      ASSERT_EQ(f().process_next_pending_event(Process, &Event, &Kind), Ok);
      if (Kind == AMD_DBGAPI_EVENT_KIND_NONE)
        return;
      ++Events[Kind];
      if (Kind == AMD_DBGAPI_EVENT_KIND_RUNTIME)
        f().event_get_info(Event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE, 4,
                           &TheRuntimeState);
      ASSERT_EQ(f().event_processed(Event), Ok);
    }
  }
  template <typename T>
  T wave(amd_dbgapi_wave_id_t Id, amd_dbgapi_wave_info_t Q) {
    T Value = {};
    EXPECT_EQ(f().wave_get_info(Id, Q, sizeof(T), &Value), Ok) << "query " << Q;
    return Value;
  }
  std::vector<amd_dbgapi_wave_id_t> waves() {
    size_t Count = 0;
    amd_dbgapi_wave_id_t *List = nullptr;
    EXPECT_EQ(f().process_wave_list(Process, &Count, &List, nullptr), Ok);
    std::vector<amd_dbgapi_wave_id_t> Result(List, List + Count);
    free(List);
    return Result;
  }
  amd_dbgapi_address_space_id_t space(amd_dbgapi_architecture_id_t Arch,
                                      uint64_t Dwarf) {
    amd_dbgapi_address_space_id_t Id = {0};
    EXPECT_EQ(f().dwarf_address_space_to_address_space(Arch, Dwarf, &Id), Ok);
    return Id;
  }

  std::shared_ptr<Library> Lib;
  amd_dbgapi_process_id_t Process = {0};
  std::map<int, int> Events;
  uint32_t TheRuntimeState = 0;
};

struct Variant {
  const Architecture *Arch;
  unsigned Lanes;
};
std::vector<Variant> variants() {
  std::vector<Variant> List;
  for (const Architecture &Arch : architectures()) {
    List.push_back({&Arch, 64});
    if (Arch.hasWave32())
      List.push_back({&Arch, 32});
  }
  return List;
}

class EveryGPU : public ::testing::TestWithParam<Variant>, public CoreBase {
protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }

  // Checks the registers of a wave of the core, by its index.
  void expectRegisters(const Core &Core, amd_dbgapi_wave_id_t Id, unsigned I);
  void expectMemory(const Core &Core, amd_dbgapi_wave_id_t Id, unsigned I);
  void expectConversions(const Core &Core, amd_dbgapi_wave_id_t Id);
  void expectDispatch(const Core &Core, amd_dbgapi_wave_id_t Id);
};

TEST_P(EveryGPU, SaveAreaReadsBack) {
  Core Core(*GetParam().Arch, GetParam().Lanes);
  std::vector<uint8_t> Area(areaSize(Core.arch, Core.waves, 0));
  ASSERT_FALSE(bool(write(Core.arch, Core.waves, 0, Area)));
  Header TheHeader;
  memcpy(&TheHeader, Area.data(), sizeof(TheHeader));
  ASSERT_FALSE(bool(check(TheHeader, Area.size())));
  std::vector<uint32_t> Stack(TheHeader.ControlStackSize / 4);
  memcpy(Stack.data(), Area.data() + TheHeader.ControlStackOffset,
         TheHeader.ControlStackSize);
  auto Records = parse(Core.arch, TheHeader, Stack);
  ASSERT_TRUE(bool(Records)) << llvm::toString(Records.takeError());
  ASSERT_EQ(Records->size(), Core.waves.size());
  for (size_t I = 0; I < Records->size(); ++I) {
    const WaveShape &A = (*Records)[I].Shape, &B = Core.waves[I].Shape;
    EXPECT_EQ(A.Vgprs, B.Vgprs);
    EXPECT_EQ(A.AccVgprs, B.AccVgprs);
    EXPECT_EQ(A.Sgprs, B.Sgprs);
    EXPECT_EQ(A.Lanes, B.Lanes);
    EXPECT_EQ(A.LdsBytes, B.LdsBytes);
    EXPECT_EQ(A.ShaderEngine, B.ShaderEngine);
    EXPECT_EQ(A.TheScratchSlot, B.TheScratchSlot);
  }
  // No other stack length ends exactly at the records.
  TheHeader.ControlStackSize -= 4;
  EXPECT_TRUE(bool(llvm::errorToBool(check(TheHeader, Area.size()))));
  Stack.pop_back();
  EXPECT_TRUE(
      llvm::errorToBool(parse(Core.arch, TheHeader, Stack).takeError()));
}

/// Checks the wave's own list of registers, each with its value in the core.
void EveryGPU::expectRegisters(const Core &Core, amd_dbgapi_wave_id_t Id,
                               unsigned I) {
  size_t Registers = 0;
  char *Text = nullptr;
  amd_dbgapi_register_id_t *Ids = nullptr;
  ASSERT_EQ(f().wave_register_list(Id, &Registers, &Ids), Ok);
  std::map<std::string, amd_dbgapi_register_id_t> ByName;
  for (size_t R = 0; R < Registers; ++R) {
    uint64_t Size = 0;
    ASSERT_EQ(
        f().register_get_info(Ids[R], AMD_DBGAPI_REGISTER_INFO_NAME, 8, &Text),
        Ok);
    ASSERT_EQ(
        f().register_get_info(Ids[R], AMD_DBGAPI_REGISTER_INFO_SIZE, 8, &Size),
        Ok);
    std::string Name = Text;
    free(Text);
    EXPECT_TRUE(ByName.emplace(Name, Ids[R]).second) << Name;
    std::vector<uint32_t> Value(Size / 4);
    ASSERT_EQ(f().read_register(Id, Ids[R], 0, Size, Value.data()), Ok) << Name;
    const char Kind = Name[0];
    if (Name == "pc")
      EXPECT_EQ(Value[0], Code + 0x100 + I * 8);
    else if (Name == "m0")
      EXPECT_EQ(Value[0], 0x55 + I);
    else if (Name == "vcc")
      EXPECT_EQ(Value[0], mix(I, 106, 1));
    else if (Name == "flat_scratch" || Name == "scratch_base")
      EXPECT_EQ(Value[0], uint32_t(Core.scratchBase(I)));
    else if (Kind == 's' && isdigit(Name[1]))
      EXPECT_EQ(Value[0], mix(I, unsigned(atoi(&Name[1])), 1)) << Name;
    else if ((Kind == 'v' || Kind == 'a') && isdigit(Name[1]))
      for (unsigned Lane = 0; Lane < Core.lanes; ++Lane)
        ASSERT_EQ(Value[Lane], mix(I, unsigned(atoi(&Name[1])),
                                   (Kind == 'v' ? 100 : 200) + Lane))
            << Name;
  }
  free(Ids);
  EXPECT_TRUE(ByName.count("v23"));
  EXPECT_FALSE(ByName.count("v24"));
  EXPECT_EQ(ByName.count("a7"), Core.arch.hasAcc() ? 1u : 0u);
  EXPECT_TRUE(ByName.count("s101"));
  EXPECT_EQ(ByName.count("state_priv"), Core.gfx12() ? 1u : 0u);
  uint32_t One = 0;
  ASSERT_EQ(f().read_register(Id, ByName["v5"], 17 * 4, 4, &One), Ok);
  EXPECT_EQ(One, mix(I, 5, 117));
  EXPECT_EQ(f().read_register(Id, ByName["v5"], Core.lanes * 4, 4, &One),
            AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY);
}

/// Local and private memory, by address space and through generic addresses.
void EveryGPU::expectMemory(const Core &Core, amd_dbgapi_wave_id_t Id,
                            unsigned I) {
  const auto Arch =
      wave<amd_dbgapi_architecture_id_t>(Id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
  uint32_t Words[256];
  uint64_t Size = sizeof(Words);
  ASSERT_EQ(f().read_memory(Process, Id, AMD_DBGAPI_LANE_NONE, space(Arch, 3),
                            0, &Size, Words),
            Ok);
  ASSERT_EQ(Size, sizeof(Words));
  for (unsigned W = 0; W < 256; ++W)
    ASSERT_EQ(Words[W], mix(I / 3, W, 300));
  Size = 4;
  EXPECT_EQ(f().read_memory(Process, Id, AMD_DBGAPI_LANE_NONE, space(Arch, 3),
                            Core.waves[I].Shape.LdsBytes, &Size, Words),
            AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS);
  for (uint32_t Lane : {0u, 5u, Core.lanes - 1}) {
    Size = 64;
    ASSERT_EQ(
        f().read_memory(Process, Id, Lane, space(Arch, 5), 8, &Size, Words),
        Ok);
    ASSERT_EQ(Size, 64u);
    for (unsigned W = 0; W < 16; ++W)
      ASSERT_EQ(Words[W], mix(I, (W + 2) * Core.lanes + Lane, 400));
    uint8_t Bytes[4];
    Size = 4;
    ASSERT_EQ(f().read_memory(Process, Id, Lane, space(Arch, 1),
                              0x0002'0000'0000'0006, &Size, Bytes),
              Ok);
    ASSERT_EQ(Size, 4u);
    EXPECT_EQ(Bytes[0], uint8_t(mix(I, 1 * Core.lanes + Lane, 400) >> 16));
    EXPECT_EQ(Bytes[2], uint8_t(mix(I, 2 * Core.lanes + Lane, 400)));
  }
  Size = 16;
  ASSERT_EQ(f().read_memory(Process, Id, AMD_DBGAPI_LANE_NONE, space(Arch, 6),
                            40, &Size, Words),
            Ok);
  EXPECT_EQ(Words[0], mix(I, 10, 400));
  Size = 4;
  EXPECT_EQ(f().read_memory(Process, Id, AMD_DBGAPI_LANE_NONE, space(Arch, 5),
                            0, &Size, Words),
            AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID);
  EXPECT_EQ(
      f().read_memory(Process, Id, Core.lanes, space(Arch, 5), 0, &Size, Words),
      AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID);
  Size = 8;
  ASSERT_EQ(f().read_memory(Process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                            AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, RDebug + 8, &Size,
                            Words),
            Ok);
  EXPECT_EQ(Words[0], Links);
}

void EveryGPU::expectConversions(const Core &Core, amd_dbgapi_wave_id_t Id) {
  const auto Arch =
      wave<amd_dbgapi_architecture_id_t>(Id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
  uint64_t Converted = 0, Contiguous = 0;
  auto Convert = [&](uint32_t Lane, uint64_t From, uint64_t Address,
                     uint64_t To) {
    return Lib->convertAddressSpace(Process, Id, Lane, space(Arch, From),
                                    Address, space(Arch, To), &Converted,
                                    &Contiguous);
  };
  ASSERT_EQ(Convert(3, 5, 0x14, 1), Ok);
  EXPECT_EQ(Converted, 0x0002'0000'0000'0014u);
  ASSERT_EQ(Convert(AMD_DBGAPI_LANE_NONE, 3, 0x14, 1), Ok);
  EXPECT_EQ(Converted, 0x0001'0000'0000'0014u);
  ASSERT_EQ(Convert(AMD_DBGAPI_LANE_NONE, 1, 0x0001'0000'0000'0018, 3), Ok);
  EXPECT_EQ(Converted, 0x18u);
  EXPECT_EQ(Convert(AMD_DBGAPI_LANE_NONE, 1, 0x5000, 3),
            AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION);
  ASSERT_EQ(Convert(3, 5, 0x16, 6), Ok);
  EXPECT_EQ(Converted, 5u * Core.lanes * 4 + 3 * 4 + 2);
}

void EveryGPU::expectDispatch(const Core &Core, amd_dbgapi_wave_id_t Id) {
  auto Dispatch =
      wave<amd_dbgapi_dispatch_id_t>(Id, AMD_DBGAPI_WAVE_INFO_DISPATCH);
  uint32_t Grid[3] = {}, Number = 0;
  uint16_t Sizes[3] = {};
  uint64_t Address = 0;
  ASSERT_EQ(f().dispatch_get_info(Dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES,
                                  12, Grid),
            Ok);
  EXPECT_EQ(Grid[0], 6 * Core.lanes);
  ASSERT_EQ(f().dispatch_get_info(
                Dispatch, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES, 6, Sizes),
            Ok);
  EXPECT_EQ(Sizes[0], 3 * Core.lanes);
  ASSERT_EQ(f().dispatch_get_info(
                Dispatch, AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS, 8,
                &Address),
            Ok);
  EXPECT_EQ(Address, Code + 0x100);
  ASSERT_EQ(f().dispatch_get_info(
                Dispatch, AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE, 4, &Number),
            Ok);
  EXPECT_EQ(Number, 2u);
  ASSERT_EQ(f().dispatch_get_info(Dispatch, AMD_DBGAPI_DISPATCH_INFO_BARRIER, 4,
                                  &Number),
            Ok);
  EXPECT_EQ(Number, 1u);
}

TEST_P(EveryGPU, EveryValue) {
  Core Core(*GetParam().Arch, GetParam().Lanes);
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  {
    // The wave counts as running until the event has been fetched.
    auto List = waves();
    ASSERT_EQ(List.size(), 6u);
    EXPECT_EQ(wave<uint32_t>(List[0], AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_RUN));
    uint64_t Pc;
    EXPECT_EQ(f().wave_get_info(List[0], AMD_DBGAPI_WAVE_INFO_PC, 8, &Pc),
              AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED);
  }
  drain();
  if (HasFatalFailure())
    return;
  EXPECT_EQ(Events[AMD_DBGAPI_EVENT_KIND_WAVE_STOP], 6);
  EXPECT_EQ(Events[AMD_DBGAPI_EVENT_KIND_RUNTIME], 1);
  EXPECT_EQ(TheRuntimeState, uint32_t(AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS));

  size_t Count = 0;
  amd_dbgapi_code_object_id_t *Objects = nullptr;
  ASSERT_EQ(f().process_code_object_list(Process, &Count, &Objects, nullptr),
            Ok);
  ASSERT_EQ(Count, 1u);
  char *Text = nullptr;
  ASSERT_EQ(f().code_object_get_info(
                Objects[0], AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME, 8, &Text),
            Ok);
  EXPECT_STREQ(Text, "file:///nowhere/kernel.co#offset=64&size=128");
  free(Text);
  free(Objects);

  auto List = waves();
  ASSERT_EQ(List.size(), 6u);
  std::set<unsigned> Seen;
  for (amd_dbgapi_wave_id_t Id : List) {
    const auto Group =
        wave<std::array<uint32_t, 3>>(Id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD);
    const unsigned I =
        Group[0] * 3 +
        wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
    ASSERT_LT(I, 6u);
    Seen.insert(I);
    EXPECT_EQ(Group[1], 2u);
    EXPECT_EQ(Group[2], 3u);
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              I % 2 ? uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) : 0u);
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_PC),
              Code + 0x100 + I * 8);
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_EXEC_MASK),
              Core.lanes == 64 ? 0xff00ff00ff00ff00 | I : 0xff00ff00 | I);
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_LANE_COUNT), Core.lanes);
    ASSERT_NO_FATAL_FAILURE(expectRegisters(Core, Id, I));
    ASSERT_NO_FATAL_FAILURE(expectMemory(Core, Id, I));
    ASSERT_NO_FATAL_FAILURE(expectConversions(Core, Id));
    ASSERT_NO_FATAL_FAILURE(expectDispatch(Core, Id));
  }
  EXPECT_EQ(Seen.size(), 6u);
  size_t Groups = 0;
  amd_dbgapi_workgroup_id_t *GroupList = nullptr;
  ASSERT_EQ(f().process_workgroup_list(Process, &Groups, &GroupList, nullptr),
            Ok);
  EXPECT_EQ(Groups, 2u);
  free(GroupList);
  EXPECT_EQ(f().process_detach(Process), Ok);
}

// AMD's library reports no event for such a wave.
TEST_P(EveryGPU, WaveThatStandsForNoReason) {
  Core Core(*GetParam().Arch, GetParam().Lanes);
  WaveState &Standing = Core.waves[2];
  Standing.Ttmps[6] = 1u << 30;
  Standing.hw(Core.gfx12() ? HwReg::StatePriv : HwReg::Status) |=
      Core.gfx12() ? 1u << 14 : 1u << 13 | 1u << 18;
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  drain();
  const auto List = waves();
  ASSERT_EQ(List.size(), 6u);
  for (amd_dbgapi_wave_id_t Id : List) {
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(f().wave_stop(Id), AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED);
    wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_PC);
  }
  EXPECT_EQ(f().process_detach(Process), Ok);
}

class SegmentEnds : public EveryGPU {
protected:
  /// Local memory, private memory, and both through generic addresses.
  void read(uint64_t Behind) {
    Core Core(*GetParam().Arch, GetParam().Lanes);
    ASSERT_EQ(Core.build(), "");
    ASSERT_EQ(attach(Core), Ok);
    drain();
    const amd_dbgapi_wave_id_t Id = waves()[0];
    const auto Arch = wave<amd_dbgapi_architecture_id_t>(
        Id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
    for (const auto &[number, address] :
         {std::pair(3, 0xfffffffeull), std::pair(5, 0xfffffffeull),
          std::pair(6, 0xfffffffeull), std::pair(1, 0x0001'0000'ffff'fffeull),
          std::pair(1, 0x0002'0000'ffff'fffeull)}) {
      uint8_t Byte;
      uint64_t Size = 1;
      EXPECT_EQ(f().read_memory(Process, Id, 0, space(Arch, number),
                                address + Behind, &Size, &Byte),
                AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
          << number;
    }
    EXPECT_EQ(f().process_detach(Process), Ok);
  }
};
TEST_P(SegmentEnds, LastAddress) { read(0); }
TEST_P(SegmentEnds, NullAddress) { read(1); }

TEST_P(EveryGPU, Instructions) {
  const Architecture &Gpu = *GetParam().Arch;
  const bool Gfx11 = Gpu.generation() >= 11;
  amd_dbgapi_architecture_id_t Id = {0};
  ASSERT_EQ(f().get_architecture(Gpu.ElfMachine, &Id), Ok);
  constexpr uint64_t Address = 0x1000;
  struct Case {
    std::vector<uint32_t> Words;
    amd_dbgapi_instruction_kind_t Kind;
    const char *Text; ///< null if it isn't an instruction
    unsigned Size;
  };
  const uint32_t Move = Gpu.generation() == 10 ? 0xbe8003ff : 0xbe8000ff;
  const Case Cases[] = {
      {{Gfx11 ? 0xbfb00000 : 0xbf810000},
       AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE,
       "s_endpgm",
       4},
      {{Gfx11 ? 0xbf900003 : 0xbf920003, 0},
       AMD_DBGAPI_INSTRUCTION_KIND_TRAP,
       "s_trap 3",
       4},
      {{Gfx11 ? 0xbfa00003 : 0xbf820003},
       AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH,
       "s_branch 3  # 0x1010",
       4},
      {{Move, 0x12345678},
       AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL,
       "s_mov_b32 s0, 0x12345678",
       8},
      // Without its literal, and without any bytes.
      {{Move}, AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN, nullptr, 0},
      {{0xffffffff, 0xffffffff},
       AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN,
       nullptr,
       0},
  };
  for (const Case &C : Cases) {
    char *Text = nullptr;
    uint64_t Size = C.Words.size() * 4;
    const amd_dbgapi_status_t Expected =
        C.Text ? Ok : AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    ASSERT_EQ(f().disassemble_instruction(Id, Address, &Size, C.Words.data(),
                                          &Text, nullptr, nullptr),
              Expected);
    if (C.Text) {
      EXPECT_STREQ(Text, C.Text);
      EXPECT_EQ(Size, C.Size);
      free(Text);
    }
    amd_dbgapi_instruction_kind_t Kind;
    amd_dbgapi_instruction_properties_t Properties;
    void *Information = nullptr;
    Size = C.Words.size() * 4;
    ASSERT_EQ(f().classify_instruction(Id, Address, &Size, C.Words.data(),
                                       &Kind, &Properties, &Information),
              Expected)
        << C.Words[0];
    if (C.Text) {
      EXPECT_EQ(Kind, C.Kind) << C.Text;
      EXPECT_EQ(Size, C.Size);
      if (Kind == AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH)
        EXPECT_EQ(*static_cast<uint64_t *>(Information), Address + 16);
      free(Information);
    }
  }
}

std::string nameOf(const ::testing::TestParamInfo<Variant> &Info) {
  return std::string(Info.param.Arch->Name) + "_wave" +
         std::to_string(Info.param.Lanes);
}
INSTANTIATE_TEST_SUITE_P(GPUs, EveryGPU, ::testing::ValuesIn(variants()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(GPUs, SegmentEnds, ::testing::ValuesIn(variants()),
                         nameOf);

/// Defects of a core, and their consequences.
class BadCore : public ::testing::Test, public CoreBase {
protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }
  Core Core{*findByName("gfx90a")};
};

TEST_F(BadCore, UnknownNoteVersion) {
  Core.noteVersion = 2;
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  drain();
  EXPECT_TRUE(Events.empty());
  size_t Count = 1;
  amd_dbgapi_agent_id_t *List = nullptr;
  ASSERT_EQ(f().process_agent_list(Process, &Count, &List, nullptr), Ok);
  EXPECT_EQ(Count, 0u);
}

TEST_F(BadCore, OldDriver) {
  Core.driverMinor = 12;
  ASSERT_EQ(Core.build(), "");
  EXPECT_EQ(attach(Core), AMD_DBGAPI_STATUS_ERROR_RESTRICTION);
  EXPECT_EQ(Process.handle, 0u);
}

TEST_F(BadCore, UnknownTrapHandler) {
  Core.rdebugVersion = 12;
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  drain();
  EXPECT_EQ(TheRuntimeState,
            uint32_t(AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION));
  EXPECT_TRUE(waves().empty());
}

TEST_F(BadCore, InconsistentCodeObjects) {
  Core.rstate = 1;
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  drain();
  EXPECT_EQ(waves().size(), 6u);
  size_t Count = 1;
  amd_dbgapi_code_object_id_t *List = nullptr;
  ASSERT_EQ(f().process_code_object_list(Process, &Count, &List, nullptr), Ok);
  EXPECT_EQ(Count, 0u);
}

TEST_F(BadCore, UnsupportedAgent) {
  Core.agent.capability &= ~(1u << 29);
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  size_t Count = 0;
  amd_dbgapi_agent_id_t *List = nullptr;
  ASSERT_EQ(f().process_agent_list(Process, &Count, &List, nullptr), Ok);
  ASSERT_EQ(Count, 1u);
  uint32_t State = 0;
  ASSERT_EQ(f().agent_get_info(List[0], AMD_DBGAPI_AGENT_INFO_STATE, 4, &State),
            Ok);
  EXPECT_EQ(State, uint32_t(AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED));
  free(List);
  amd_dbgapi_queue_id_t *Queues = nullptr;
  ASSERT_EQ(f().process_queue_list(Process, &Count, &Queues, nullptr), Ok);
  EXPECT_EQ(Count, 0u);
}

TEST_F(BadCore, SizesThatDoNotMeet) {
  Core.editArea = [](std::vector<uint8_t> &Area) { Area[4] += 4; };
  ASSERT_EQ(Core.build(), "");
  EXPECT_EQ(attach(Core), AMD_DBGAPI_STATUS_FATAL);
  EXPECT_EQ(Process.handle, 0u);
}

TEST_F(BadCore, ManyEntriesWithoutASize) {
  ASSERT_EQ(Core.build(), "");
  // Version, driver, the runtime's size; then the number and size of agents and
  // of queues. The runtime's data follows.
  uint64_t RuntimeSize;
  memcpy(&RuntimeSize, &Core.note[16], 8);
  Core.note.resize(40 + RuntimeSize);
  for (const size_t Many : {24, 32}) {
    memset(&Core.note[24], 0, 16);
    memset(&Core.note[Many], 0xff, 4);
    EXPECT_EQ(attach(Core), AMD_DBGAPI_STATUS_FATAL) << Many;
    EXPECT_EQ(Process.handle, 0u);
  }
}

TEST_F(BadCore, PacketOutsideOfTheQueue) {
  Core.writeId = 0;
  ASSERT_EQ(Core.build(), "");
  EXPECT_EQ(attach(Core), AMD_DBGAPI_STATUS_FATAL);
}

TEST_F(BadCore, TwoGroupsInOne) {
  Core.waves[3].Shape.First = false;
  Core.waves[2].Shape.Last = true;
  ASSERT_EQ(Core.build(), "");
  EXPECT_EQ(attach(Core), AMD_DBGAPI_STATUS_FATAL);
}

TEST_F(BadCore, NoLds) {
  for (WaveState &W : Core.waves)
    W.Shape.LdsBytes = 0;
  ASSERT_EQ(Core.build(), "");
  ASSERT_EQ(attach(Core), Ok);
  drain();
  auto List = waves();
  ASSERT_EQ(List.size(), 6u);
  uint32_t Word;
  uint64_t Size = 4;
  EXPECT_EQ(
      f().read_memory(Process, List[0], AMD_DBGAPI_LANE_NONE,
                      space(wave<amd_dbgapi_architecture_id_t>(
                                List[0], AMD_DBGAPI_WAVE_INFO_ARCHITECTURE),
                            3),
                      0, &Size, &Word),
      AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS);
}

TEST_F(BadCore, TruncatedNotes) {
  ASSERT_EQ(Core.build(), "");
  const std::vector<uint8_t> Whole = Core.note;
  for (size_t Size = 0; Size < Whole.size(); ++Size) {
    Core.note.assign(Whole.begin(), Whole.begin() + long(Size));
    EXPECT_NE(attach(Core), Ok) << Size;
    f().process_detach(Process);
  }
}

TEST_F(BadCore, DamagedAnywhere) {
  ASSERT_EQ(Core.build(), "");
  const std::vector<uint8_t> Whole = Core.note;
  const auto Memory = Core.memory;
  uint32_t Seed = 1;
  for (int Round = 0; Round < 1000; ++Round) {
    Core.note = Whole;
    Core.memory = Memory;
    for (int I = 0; I < 3; ++I) {
      Seed = Seed * 1664525 + 1013904223;
      if (Seed >> 31)
        Core.note[(Seed >> 8) % Whole.size()] ^= uint8_t(1u << (Seed & 7));
      else
        Core.memory[Area / 4096][(Seed >> 8) % 4096] ^=
            uint8_t(1u << (Seed & 7));
    }
    if (Round % 10 == 0)
      Core.memory.erase(Core.memory.begin()->first);
    if (attach(Core) == Ok) {
      drain();
      waves();
      EXPECT_EQ(f().process_detach(Process), Ok);
    }
  }
}

TEST(SaveArea, LocalMemoryOfGfx950) {
  // A compute unit has 160 KiB in all, in units of 1280 bytes.
  Core Core(*findByName("gfx950"), 64);
  WaveState &Wave = Core.waves[0];
  Core.waves.resize(1);
  Wave.Shape.LdsBytes = 163840;
  Wave.Shape.First = Wave.Shape.Last = true;
  const std::vector<uint8_t> Lds(163840, 0x5a);
  Wave.Lds = Lds;
  std::vector<uint8_t> Area(areaSize(Core.arch, Core.waves, 0));
  ASSERT_FALSE(bool(write(Core.arch, Core.waves, 0, Area)));
  Header TheHeader;
  memcpy(&TheHeader, Area.data(), sizeof(TheHeader));
  std::vector<uint32_t> Stack(TheHeader.ControlStackSize / 4);
  memcpy(Stack.data(), Area.data() + TheHeader.ControlStackOffset,
         TheHeader.ControlStackSize);
  auto Records = parse(Core.arch, TheHeader, Stack);
  ASSERT_TRUE(bool(Records)) << llvm::toString(Records.takeError());
  EXPECT_EQ((*Records)[0].Shape.LdsBytes, 163840u);
  Core.waves[0].Shape.LdsBytes = 512; // not a whole unit
  EXPECT_TRUE(llvm::errorToBool(write(Core.arch, Core.waves, 0, Area)));
}

TEST(AMDLibrary, ExceptionsAreTests) {
  expectTests("BadCore.");
  expectTests("GPUs/EveryGPU.");
  expectTests("GPUs/SegmentEnds.");
}

TEST(SaveArea, MeasuredWords) {
  // Control stacks from which AMD's library reads these waves.
  const Architecture &Arch = *findByName("gfx90a");
  Header TheHeader;
  const std::vector<uint32_t> Stack = {0,       0,       0x850005c3,
                                       0x28000, 0x08201, 0x18403};
  WaveShape Shape;
  Shape.Vgprs = 24, Shape.AccVgprs = 8, Shape.Sgprs = 112,
  Shape.LdsBytes = 1024;
  WaveShape Other = Shape;
  Other.First = false;
  TheHeader.WaveStateSize =
      uint32_t(recordSize(Arch, Shape) + 2 * recordSize(Arch, Other));
  TheHeader.WaveStateOffset = TheHeader.WaveStateSize + 4096;
  auto Records = parse(Arch, TheHeader, Stack);
  ASSERT_TRUE(bool(Records)) << llvm::toString(Records.takeError());
  ASSERT_EQ(Records->size(), 3u);
  EXPECT_EQ((*Records)[0].Shape.Vgprs, 24u);
  EXPECT_EQ((*Records)[0].Shape.AccVgprs, 8u);
  EXPECT_EQ((*Records)[1].Shape.ShaderEngine, 1u);
  EXPECT_EQ((*Records)[2].Shape.TheScratchSlot, 3u);

  const Architecture &Rdna = *findByName("gfx1100");
  const std::vector<uint32_t> Stack32 = {0,      0,         0x81000802, 0,
                                         0x1800, 0x1000801, 0x22000803};
  Shape = WaveShape();
  Shape.Lanes = 32, Shape.Vgprs = 24, Shape.Sgprs = 128, Shape.LdsBytes = 1024;
  Other = Shape;
  Other.First = false;
  TheHeader.WaveStateSize =
      uint32_t(recordSize(Rdna, Shape) + 2 * recordSize(Rdna, Other));
  TheHeader.WaveStateOffset = TheHeader.WaveStateSize + 4096;
  Records = parse(Rdna, TheHeader, Stack32);
  ASSERT_TRUE(bool(Records)) << llvm::toString(Records.takeError());
  ASSERT_EQ(Records->size(), 3u);
  EXPECT_EQ((*Records)[0].Shape.Lanes, 32u);
  EXPECT_EQ((*Records)[2].Shape.ShaderEngine, 2u);
}

TEST(Abi, Sizes) {
  EXPECT_EQ(sizeof(amd_dbgapi_wave_id_t), 8u);
  EXPECT_EQ(sizeof(amd_dbgapi_status_t), 4u);
  EXPECT_EQ(sizeof(amd_dbgapi_core_state_data_t), 24u);
  EXPECT_EQ(sizeof(amd_dbgapi_watchpoint_list_t), 16u);
  EXPECT_EQ(sizeof(amd_dbgapi_direct_call_register_pair_information_t), 24u);
  EXPECT_EQ(sizeof(amd_dbgapi_callbacks_t), 7 * sizeof(void *));
}

TEST(Loader, Versions) {
  auto Usable = [](uint32_t Major, uint32_t Minor) {
    return !llvm::errorToBool(Library::checkVersion({Major, Minor, 0}));
  };
  EXPECT_TRUE(Usable(0, 76));
  EXPECT_TRUE(Usable(0, 77));
  EXPECT_TRUE(Usable(0, 82));
  EXPECT_FALSE(Usable(0, 75));
  EXPECT_FALSE(Usable(0, 83));
  EXPECT_FALSE(Usable(1, 77));
}

TEST(Loader, Refusals) {
  auto Text = [](const char *Path) {
    auto Lib = Library::open(Path);
    return Lib ? std::string() : llvm::toString(Lib.takeError());
  };
  EXPECT_NE(Text("/no/such/library.so").find("/no/such/library.so"),
            std::string::npos);
  EXPECT_NE(Text("libc.so.6").find("not a ROCdbgapi library"),
            std::string::npos);
}

} // namespace
