//===-- CoreTest.cpp - The debug library on GPU core states ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core states are made with the save-area writer for every GPU, opened with the
// library, and every value is compared. WAVELANE_TEST_DBGAPI names another
// library to run the tests with (AMDLibrary.h).
//
//===----------------------------------------------------------------------===//

#include "AMDLibrary.h"
#include "cores/CoreState.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/Simulator/Protocol.h"
#include "wavelane/Simulator/SaveArea.h"
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
    if (std::string reason = reasonToSkip(); !reason.empty())
      GTEST_SKIP() << reason;
    auto opened = Library::open(libraryPath());
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    library = *opened;
    amd_dbgapi_callbacks_t callbacks = {};
    callbacks.allocate_memory = malloc;
    callbacks.deallocate_memory = free;
    callbacks.client_process_get_info = [](auto client, auto query, size_t size,
                                           void *value) {
      Core &core = *reinterpret_cast<Core *>(client);
      if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE ||
          size != sizeof(amd_dbgapi_core_state_data_t))
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      void *copy = malloc(core.note.size());
      memcpy(copy, core.note.data(), core.note.size());
      amd_dbgapi_core_state_data_t data = {AMD_DBGAPI_ENDIAN_LITTLE,
                                           core.note.size(), copy};
      memcpy(value, &data, sizeof(data));
      return Ok;
    };
    callbacks.insert_breakpoint = [](auto, auto, auto) { return Ok; };
    callbacks.remove_breakpoint = [](auto, auto) { return Ok; };
    callbacks.xfer_global_memory = [](auto client, auto address, auto *size,
                                      void *read, const void *) {
      const Core &core = *reinterpret_cast<const Core *>(client);
      if (!read || !core.peek(address, read, *size))
        return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
      return Ok;
    };
    callbacks.log_message = [](auto, const char *) {};
    ASSERT_EQ(f().initialize(&callbacks), Ok);
  }
  void close() {
    if (library)
      f().finalize();
  }
  const Functions &f() { return library->api(); }

  amd_dbgapi_status_t attach(Core &core) {
    return f().process_attach(
        reinterpret_cast<amd_dbgapi_client_process_id_t>(&core), &process);
  }

  /// Takes all events.
  void drain() {
    for (;;) {
      amd_dbgapi_event_id_t event;
      amd_dbgapi_event_kind_t kind;
      ASSERT_EQ(f().process_next_pending_event(process, &event, &kind), Ok);
      if (kind == AMD_DBGAPI_EVENT_KIND_NONE)
        return;
      ++events[kind];
      if (kind == AMD_DBGAPI_EVENT_KIND_RUNTIME)
        f().event_get_info(event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE, 4,
                           &runtimeState);
      ASSERT_EQ(f().event_processed(event), Ok);
    }
  }
  template <typename T>
  T wave(amd_dbgapi_wave_id_t id, amd_dbgapi_wave_info_t q) {
    T value = {};
    EXPECT_EQ(f().wave_get_info(id, q, sizeof(T), &value), Ok) << "query " << q;
    return value;
  }
  std::vector<amd_dbgapi_wave_id_t> waves() {
    size_t count = 0;
    amd_dbgapi_wave_id_t *list = nullptr;
    EXPECT_EQ(f().process_wave_list(process, &count, &list, nullptr), Ok);
    std::vector<amd_dbgapi_wave_id_t> result(list, list + count);
    free(list);
    return result;
  }
  amd_dbgapi_address_space_id_t space(amd_dbgapi_architecture_id_t arch,
                                      uint64_t dwarf) {
    amd_dbgapi_address_space_id_t id = {0};
    EXPECT_EQ(f().dwarf_address_space_to_address_space(arch, dwarf, &id), Ok);
    return id;
  }

  std::shared_ptr<Library> library;
  amd_dbgapi_process_id_t process = {0};
  std::map<int, int> events;
  uint32_t runtimeState = 0;
};

struct Variant {
  const Architecture *arch;
  unsigned lanes;
};
std::vector<Variant> variants() {
  std::vector<Variant> list;
  for (const Architecture &arch : architectures()) {
    list.push_back({&arch, 64});
    if (arch.hasWave32())
      list.push_back({&arch, 32});
  }
  return list;
}

class EveryGPU : public ::testing::TestWithParam<Variant>, public CoreBase {
protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }
};

TEST_P(EveryGPU, SaveAreaReadsBack) {
  Core core(*GetParam().arch, GetParam().lanes);
  std::vector<uint8_t> area(areaSize(core.arch, core.waves, 0));
  ASSERT_FALSE(bool(write(core.arch, core.waves, 0, area)));
  Header header;
  memcpy(&header, area.data(), sizeof(header));
  ASSERT_FALSE(bool(check(header, area.size())));
  std::vector<uint32_t> stack(header.controlStackSize / 4);
  memcpy(stack.data(), area.data() + header.controlStackOffset,
         header.controlStackSize);
  auto records = parse(core.arch, header, stack);
  ASSERT_TRUE(bool(records)) << llvm::toString(records.takeError());
  ASSERT_EQ(records->size(), core.waves.size());
  for (size_t i = 0; i < records->size(); ++i) {
    const WaveShape &a = (*records)[i].shape, &b = core.waves[i].shape;
    EXPECT_EQ(a.vgprs, b.vgprs);
    EXPECT_EQ(a.accVgprs, b.accVgprs);
    EXPECT_EQ(a.sgprs, b.sgprs);
    EXPECT_EQ(a.lanes, b.lanes);
    EXPECT_EQ(a.ldsBytes, b.ldsBytes);
    EXPECT_EQ(a.shaderEngine, b.shaderEngine);
    EXPECT_EQ(a.scratchSlot, b.scratchSlot);
  }
  // Any other stack length doesn't meet the records.
  header.controlStackSize -= 4;
  EXPECT_TRUE(bool(llvm::errorToBool(check(header, area.size()))));
  stack.pop_back();
  EXPECT_TRUE(llvm::errorToBool(parse(core.arch, header, stack).takeError()));
}

TEST_P(EveryGPU, EveryValue) {
  Core core(*GetParam().arch, GetParam().lanes);
  ASSERT_EQ(core.build(), "");
  const bool gfx12 = core.gfx12();
  ASSERT_EQ(attach(core), Ok);
  {
    // Running until the event has been fetched.
    auto list = waves();
    ASSERT_EQ(list.size(), 6u);
    EXPECT_EQ(wave<uint32_t>(list[0], AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_RUN));
    uint64_t pc;
    EXPECT_EQ(f().wave_get_info(list[0], AMD_DBGAPI_WAVE_INFO_PC, 8, &pc),
              AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED);
  }
  drain();
  if (HasFatalFailure())
    return;
  EXPECT_EQ(events[AMD_DBGAPI_EVENT_KIND_WAVE_STOP], 6);
  EXPECT_EQ(events[AMD_DBGAPI_EVENT_KIND_RUNTIME], 1);
  EXPECT_EQ(runtimeState, uint32_t(AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS));

  size_t count = 0;
  amd_dbgapi_code_object_id_t *objects = nullptr;
  ASSERT_EQ(f().process_code_object_list(process, &count, &objects, nullptr),
            Ok);
  ASSERT_EQ(count, 1u);
  char *text = nullptr;
  ASSERT_EQ(f().code_object_get_info(
                objects[0], AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME, 8, &text),
            Ok);
  EXPECT_STREQ(text, "file:///nowhere/kernel.co#offset=64&size=128");
  free(text);
  free(objects);

  auto list = waves();
  ASSERT_EQ(list.size(), 6u);
  std::set<unsigned> seen;
  for (amd_dbgapi_wave_id_t id : list) {
    const auto group =
        wave<std::array<uint32_t, 3>>(id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD);
    const unsigned i =
        group[0] * 3 +
        wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
    ASSERT_LT(i, 6u);
    seen.insert(i);
    EXPECT_EQ(group[1], 2u);
    EXPECT_EQ(group[2], 3u);
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              i % 2 ? uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) : 0u);
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_PC),
              Code + 0x100 + i * 8);
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_EXEC_MASK),
              core.lanes == 64 ? 0xff00ff00ff00ff00 | i : 0xff00ff00 | i);
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_LANE_COUNT), core.lanes);
    const auto arch = wave<amd_dbgapi_architecture_id_t>(
        id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);

    // Registers: the wave's own list, each with its value.
    size_t registers = 0;
    amd_dbgapi_register_id_t *ids = nullptr;
    ASSERT_EQ(f().wave_register_list(id, &registers, &ids), Ok);
    std::map<std::string, amd_dbgapi_register_id_t> byName;
    for (size_t r = 0; r < registers; ++r) {
      uint64_t size = 0;
      ASSERT_EQ(f().register_get_info(ids[r], AMD_DBGAPI_REGISTER_INFO_NAME, 8,
                                      &text),
                Ok);
      ASSERT_EQ(f().register_get_info(ids[r], AMD_DBGAPI_REGISTER_INFO_SIZE, 8,
                                      &size),
                Ok);
      std::string name = text;
      free(text);
      EXPECT_TRUE(byName.emplace(name, ids[r]).second) << name;
      std::vector<uint32_t> value(size / 4);
      ASSERT_EQ(f().read_register(id, ids[r], 0, size, value.data()), Ok)
          << name;
      const char kind = name[0];
      if (name == "pc")
        EXPECT_EQ(value[0], Code + 0x100 + i * 8);
      else if (name == "m0")
        EXPECT_EQ(value[0], 0x55 + i);
      else if (name == "vcc")
        EXPECT_EQ(value[0], mix(i, 106, 1));
      else if (name == "flat_scratch" || name == "scratch_base")
        EXPECT_EQ(value[0], uint32_t(core.scratchBase(i)));
      else if (kind == 's' && isdigit(name[1]))
        EXPECT_EQ(value[0], mix(i, unsigned(atoi(&name[1])), 1)) << name;
      else if ((kind == 'v' || kind == 'a') && isdigit(name[1]))
        for (unsigned lane = 0; lane < core.lanes; ++lane)
          ASSERT_EQ(value[lane], mix(i, unsigned(atoi(&name[1])),
                                     (kind == 'v' ? 100 : 200) + lane))
              << name;
    }
    free(ids);
    EXPECT_TRUE(byName.count("v23"));
    EXPECT_FALSE(byName.count("v24"));
    EXPECT_EQ(byName.count("a7"), core.arch.hasAcc() ? 1u : 0u);
    EXPECT_TRUE(byName.count("s101"));
    EXPECT_EQ(byName.count("state_priv"), gfx12 ? 1u : 0u);
    uint32_t one = 0;
    ASSERT_EQ(f().read_register(id, byName["v5"], 17 * 4, 4, &one), Ok);
    EXPECT_EQ(one, mix(i, 5, 117));
    EXPECT_EQ(f().read_register(id, byName["v5"], core.lanes * 4, 4, &one),
              AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY);

    // Local and private memory, by their spaces and through generic addresses.
    uint32_t words[256];
    uint64_t size = sizeof(words);
    ASSERT_EQ(f().read_memory(process, id, AMD_DBGAPI_LANE_NONE, space(arch, 3),
                              0, &size, words),
              Ok);
    ASSERT_EQ(size, sizeof(words));
    for (unsigned w = 0; w < 256; ++w)
      ASSERT_EQ(words[w], mix(i / 3, w, 300));
    size = 4;
    EXPECT_EQ(f().read_memory(process, id, AMD_DBGAPI_LANE_NONE, space(arch, 3),
                              core.waves[i].shape.ldsBytes, &size, words),
              AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS);
    for (uint32_t lane : {0u, 5u, core.lanes - 1}) {
      size = 64;
      ASSERT_EQ(
          f().read_memory(process, id, lane, space(arch, 5), 8, &size, words),
          Ok);
      ASSERT_EQ(size, 64u);
      for (unsigned w = 0; w < 16; ++w)
        ASSERT_EQ(words[w], mix(i, (w + 2) * core.lanes + lane, 400));
      uint8_t bytes[4];
      size = 4;
      ASSERT_EQ(f().read_memory(process, id, lane, space(arch, 1),
                                0x0002'0000'0000'0006, &size, bytes),
                Ok);
      ASSERT_EQ(size, 4u);
      EXPECT_EQ(bytes[0], uint8_t(mix(i, 1 * core.lanes + lane, 400) >> 16));
      EXPECT_EQ(bytes[2], uint8_t(mix(i, 2 * core.lanes + lane, 400)));
    }
    size = 16;
    ASSERT_EQ(f().read_memory(process, id, AMD_DBGAPI_LANE_NONE, space(arch, 6),
                              40, &size, words),
              Ok);
    EXPECT_EQ(words[0], mix(i, 10, 400));
    size = 4;
    EXPECT_EQ(f().read_memory(process, id, AMD_DBGAPI_LANE_NONE, space(arch, 5),
                              0, &size, words),
              AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID);
    EXPECT_EQ(f().read_memory(process, id, core.lanes, space(arch, 5), 0, &size,
                              words),
              AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID);
    size = 8;
    ASSERT_EQ(f().read_memory(
                  process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                  AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, RDebug + 8, &size, words),
              Ok);
    EXPECT_EQ(words[0], Links);

    // Conversions.
    uint64_t converted = 0, contiguous = 0;
    auto convert = [&](uint32_t lane, uint64_t from, uint64_t address,
                       uint64_t to) {
      return library->convertAddressSpace(process, id, lane, space(arch, from),
                                          address, space(arch, to), &converted,
                                          &contiguous);
    };
    ASSERT_EQ(convert(3, 5, 0x14, 1), Ok);
    EXPECT_EQ(converted, 0x0002'0000'0000'0014u);
    ASSERT_EQ(convert(AMD_DBGAPI_LANE_NONE, 3, 0x14, 1), Ok);
    EXPECT_EQ(converted, 0x0001'0000'0000'0014u);
    ASSERT_EQ(convert(AMD_DBGAPI_LANE_NONE, 1, 0x0001'0000'0000'0018, 3), Ok);
    EXPECT_EQ(converted, 0x18u);
    EXPECT_EQ(convert(AMD_DBGAPI_LANE_NONE, 1, 0x5000, 3),
              AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION);
    ASSERT_EQ(convert(3, 5, 0x16, 6), Ok);
    EXPECT_EQ(converted, 5u * core.lanes * 4 + 3 * 4 + 2);

    // The dispatch.
    auto dispatch =
        wave<amd_dbgapi_dispatch_id_t>(id, AMD_DBGAPI_WAVE_INFO_DISPATCH);
    uint32_t grid[3] = {}, number = 0;
    uint16_t sizes[3] = {};
    uint64_t address = 0;
    ASSERT_EQ(f().dispatch_get_info(
                  dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES, 12, grid),
              Ok);
    EXPECT_EQ(grid[0], 6 * core.lanes);
    ASSERT_EQ(f().dispatch_get_info(
                  dispatch, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES, 6, sizes),
              Ok);
    EXPECT_EQ(sizes[0], 3 * core.lanes);
    ASSERT_EQ(f().dispatch_get_info(
                  dispatch, AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS,
                  8, &address),
              Ok);
    EXPECT_EQ(address, Code + 0x100);
    ASSERT_EQ(f().dispatch_get_info(
                  dispatch, AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE, 4, &number),
              Ok);
    EXPECT_EQ(number, 2u);
    ASSERT_EQ(f().dispatch_get_info(dispatch, AMD_DBGAPI_DISPATCH_INFO_BARRIER,
                                    4, &number),
              Ok);
    EXPECT_EQ(number, 1u);
  }
  EXPECT_EQ(seen.size(), 6u);
  size_t groups = 0;
  amd_dbgapi_workgroup_id_t *groupList = nullptr;
  ASSERT_EQ(f().process_workgroup_list(process, &groups, &groupList, nullptr),
            Ok);
  EXPECT_EQ(groups, 2u);
  free(groupList);
  EXPECT_EQ(f().process_detach(process), Ok);
}

// AMD's library has no event for such a wave.
TEST_P(EveryGPU, WaveThatStandsForNoReason) {
  Core core(*GetParam().arch, GetParam().lanes);
  WaveState &standing = core.waves[2];
  standing.ttmps[6] = 1u << 30;
  standing.hw(core.gfx12() ? HwReg::StatePriv : HwReg::Status) |=
      core.gfx12() ? 1u << 14 : 1u << 13 | 1u << 18;
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  drain();
  const auto list = waves();
  ASSERT_EQ(list.size(), 6u);
  for (amd_dbgapi_wave_id_t id : list) {
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(f().wave_stop(id), AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED);
    wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_PC);
  }
  EXPECT_EQ(f().process_detach(process), Ok);
}

class SegmentEnds : public EveryGPU {
protected:
  /// Local memory, private memory, and both by generic addresses.
  void read(uint64_t behind) {
    Core core(*GetParam().arch, GetParam().lanes);
    ASSERT_EQ(core.build(), "");
    ASSERT_EQ(attach(core), Ok);
    drain();
    const amd_dbgapi_wave_id_t id = waves()[0];
    const auto arch = wave<amd_dbgapi_architecture_id_t>(
        id, AMD_DBGAPI_WAVE_INFO_ARCHITECTURE);
    for (const auto &[number, address] :
         {std::pair(3, 0xfffffffeull), std::pair(5, 0xfffffffeull),
          std::pair(6, 0xfffffffeull), std::pair(1, 0x0001'0000'ffff'fffeull),
          std::pair(1, 0x0002'0000'ffff'fffeull)}) {
      uint8_t byte;
      uint64_t size = 1;
      EXPECT_EQ(f().read_memory(process, id, 0, space(arch, number),
                                address + behind, &size, &byte),
                AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
          << number;
    }
    EXPECT_EQ(f().process_detach(process), Ok);
  }
};
TEST_P(SegmentEnds, LastAddress) { read(0); }
TEST_P(SegmentEnds, NullAddress) { read(1); }

TEST_P(EveryGPU, Instructions) {
  const Architecture &gpu = *GetParam().arch;
  const bool gfx11 = gpu.generation() >= 11;
  amd_dbgapi_architecture_id_t id = {0};
  ASSERT_EQ(f().get_architecture(gpu.ElfMachine, &id), Ok);
  constexpr uint64_t Address = 0x1000;
  struct Case {
    std::vector<uint32_t> words;
    amd_dbgapi_instruction_kind_t kind;
    const char *text; ///< null: not an instruction
    unsigned size;
  };
  const uint32_t move = gpu.generation() == 10 ? 0xbe8003ff : 0xbe8000ff;
  const Case cases[] = {
      {{gfx11 ? 0xbfb00000 : 0xbf810000},
       AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE,
       "s_endpgm",
       4},
      {{gfx11 ? 0xbf900003 : 0xbf920003, 0},
       AMD_DBGAPI_INSTRUCTION_KIND_TRAP,
       "s_trap 3",
       4},
      {{gfx11 ? 0xbfa00003 : 0xbf820003},
       AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH,
       "s_branch 3  # 0x1010",
       4},
      {{move, 0x12345678},
       AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL,
       "s_mov_b32 s0, 0x12345678",
       8},
      // Without its literal, and nothing at all.
      {{move}, AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN, nullptr, 0},
      {{0xffffffff, 0xffffffff},
       AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN,
       nullptr,
       0},
  };
  for (const Case &c : cases) {
    char *text = nullptr;
    uint64_t size = c.words.size() * 4;
    const amd_dbgapi_status_t expected =
        c.text ? Ok : AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    ASSERT_EQ(f().disassemble_instruction(id, Address, &size, c.words.data(),
                                          &text, nullptr, nullptr),
              expected);
    if (c.text) {
      EXPECT_STREQ(text, c.text);
      EXPECT_EQ(size, c.size);
      free(text);
    }
    amd_dbgapi_instruction_kind_t kind;
    amd_dbgapi_instruction_properties_t properties;
    void *information = nullptr;
    size = c.words.size() * 4;
    ASSERT_EQ(f().classify_instruction(id, Address, &size, c.words.data(),
                                       &kind, &properties, &information),
              expected)
        << c.words[0];
    if (c.text) {
      EXPECT_EQ(kind, c.kind) << c.text;
      EXPECT_EQ(size, c.size);
      if (kind == AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH)
        EXPECT_EQ(*static_cast<uint64_t *>(information), Address + 16);
      free(information);
    }
  }
}

std::string nameOf(const ::testing::TestParamInfo<Variant> &info) {
  return std::string(info.param.arch->Name) + "_wave" +
         std::to_string(info.param.lanes);
}
INSTANTIATE_TEST_SUITE_P(GPUs, EveryGPU, ::testing::ValuesIn(variants()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(GPUs, SegmentEnds, ::testing::ValuesIn(variants()),
                         nameOf);

/// What is wrong with a core, and what comes of it.
class BadCore : public ::testing::Test, public CoreBase {
protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }
  Core core{*findByName("gfx90a")};
};

TEST_F(BadCore, UnknownNoteVersion) {
  core.noteVersion = 2;
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  drain();
  EXPECT_TRUE(events.empty());
  size_t count = 1;
  amd_dbgapi_agent_id_t *list = nullptr;
  ASSERT_EQ(f().process_agent_list(process, &count, &list, nullptr), Ok);
  EXPECT_EQ(count, 0u);
}

TEST_F(BadCore, OldDriver) {
  core.driverMinor = 12;
  ASSERT_EQ(core.build(), "");
  EXPECT_EQ(attach(core), AMD_DBGAPI_STATUS_ERROR_RESTRICTION);
  EXPECT_EQ(process.handle, 0u);
}

TEST_F(BadCore, UnknownTrapHandler) {
  core.rdebugVersion = 12;
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  drain();
  EXPECT_EQ(runtimeState,
            uint32_t(AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION));
  EXPECT_TRUE(waves().empty());
}

TEST_F(BadCore, InconsistentCodeObjects) {
  core.rstate = 1;
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  drain();
  EXPECT_EQ(waves().size(), 6u);
  size_t count = 1;
  amd_dbgapi_code_object_id_t *list = nullptr;
  ASSERT_EQ(f().process_code_object_list(process, &count, &list, nullptr), Ok);
  EXPECT_EQ(count, 0u);
}

TEST_F(BadCore, UnsupportedAgent) {
  core.agent.capability &= ~(1u << 29);
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  size_t count = 0;
  amd_dbgapi_agent_id_t *list = nullptr;
  ASSERT_EQ(f().process_agent_list(process, &count, &list, nullptr), Ok);
  ASSERT_EQ(count, 1u);
  uint32_t state = 0;
  ASSERT_EQ(f().agent_get_info(list[0], AMD_DBGAPI_AGENT_INFO_STATE, 4, &state),
            Ok);
  EXPECT_EQ(state, uint32_t(AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED));
  free(list);
  amd_dbgapi_queue_id_t *queues = nullptr;
  ASSERT_EQ(f().process_queue_list(process, &count, &queues, nullptr), Ok);
  EXPECT_EQ(count, 0u);
}

TEST_F(BadCore, SizesThatDoNotMeet) {
  core.editArea = [](std::vector<uint8_t> &area) { area[4] += 4; };
  ASSERT_EQ(core.build(), "");
  EXPECT_EQ(attach(core), AMD_DBGAPI_STATUS_FATAL);
  EXPECT_EQ(process.handle, 0u);
}

TEST_F(BadCore, ManyEntriesWithoutASize) {
  ASSERT_EQ(core.build(), "");
  // Version, driver, the runtime's size; then agents and queues: how many, and
  // the size of each. Behind them the runtime, alone.
  uint64_t runtimeSize;
  memcpy(&runtimeSize, &core.note[16], 8);
  core.note.resize(40 + runtimeSize);
  for (const size_t many : {24, 32}) {
    memset(&core.note[24], 0, 16);
    memset(&core.note[many], 0xff, 4);
    EXPECT_EQ(attach(core), AMD_DBGAPI_STATUS_FATAL) << many;
    EXPECT_EQ(process.handle, 0u);
  }
}

TEST_F(BadCore, PacketOutsideOfTheQueue) {
  core.writeId = 0;
  ASSERT_EQ(core.build(), "");
  EXPECT_EQ(attach(core), AMD_DBGAPI_STATUS_FATAL);
}

TEST_F(BadCore, TwoGroupsInOne) {
  core.waves[3].shape.first = false;
  core.waves[2].shape.last = true;
  ASSERT_EQ(core.build(), "");
  EXPECT_EQ(attach(core), AMD_DBGAPI_STATUS_FATAL);
}

TEST_F(BadCore, NoLds) {
  for (WaveState &w : core.waves)
    w.shape.ldsBytes = 0;
  ASSERT_EQ(core.build(), "");
  ASSERT_EQ(attach(core), Ok);
  drain();
  auto list = waves();
  ASSERT_EQ(list.size(), 6u);
  uint32_t word;
  uint64_t size = 4;
  EXPECT_EQ(
      f().read_memory(process, list[0], AMD_DBGAPI_LANE_NONE,
                      space(wave<amd_dbgapi_architecture_id_t>(
                                list[0], AMD_DBGAPI_WAVE_INFO_ARCHITECTURE),
                            3),
                      0, &size, &word),
      AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS);
}

TEST_F(BadCore, TruncatedNotes) {
  ASSERT_EQ(core.build(), "");
  const std::vector<uint8_t> whole = core.note;
  for (size_t size = 0; size < whole.size(); ++size) {
    core.note.assign(whole.begin(), whole.begin() + long(size));
    EXPECT_NE(attach(core), Ok) << size;
    f().process_detach(process);
  }
}

TEST_F(BadCore, DamagedAnywhere) {
  ASSERT_EQ(core.build(), "");
  const std::vector<uint8_t> whole = core.note;
  const auto memory = core.memory;
  uint32_t seed = 1;
  for (int round = 0; round < 1000; ++round) {
    core.note = whole;
    core.memory = memory;
    for (int i = 0; i < 3; ++i) {
      seed = seed * 1664525 + 1013904223;
      if (seed >> 31)
        core.note[(seed >> 8) % whole.size()] ^= uint8_t(1u << (seed & 7));
      else
        core.memory[Area / 4096][(seed >> 8) % 4096] ^=
            uint8_t(1u << (seed & 7));
    }
    if (round % 10 == 0)
      core.memory.erase(core.memory.begin()->first);
    if (attach(core) == Ok) {
      drain();
      waves();
      EXPECT_EQ(f().process_detach(process), Ok);
    }
  }
}

TEST(SaveArea, LocalMemoryOfGfx950) {
  // All that a compute unit has is 160 KiB, counted in 1280 bytes.
  Core core(*findByName("gfx950"), 64);
  WaveState &wave = core.waves[0];
  core.waves.resize(1);
  wave.shape.ldsBytes = 163840;
  wave.shape.first = wave.shape.last = true;
  const std::vector<uint8_t> lds(163840, 0x5a);
  wave.lds = lds;
  std::vector<uint8_t> area(areaSize(core.arch, core.waves, 0));
  ASSERT_FALSE(bool(write(core.arch, core.waves, 0, area)));
  Header header;
  memcpy(&header, area.data(), sizeof(header));
  std::vector<uint32_t> stack(header.controlStackSize / 4);
  memcpy(stack.data(), area.data() + header.controlStackOffset,
         header.controlStackSize);
  auto records = parse(core.arch, header, stack);
  ASSERT_TRUE(bool(records)) << llvm::toString(records.takeError());
  EXPECT_EQ((*records)[0].shape.ldsBytes, 163840u);
  core.waves[0].shape.ldsBytes = 512; // not a whole unit
  EXPECT_TRUE(llvm::errorToBool(write(core.arch, core.waves, 0, area)));
}

TEST(AMDLibrary, ExceptionsAreTests) {
  expectTests("BadCore.");
  expectTests("GPUs/EveryGPU.");
  expectTests("GPUs/SegmentEnds.");
}

TEST(SaveArea, MeasuredWords) {
  // Control stacks that AMD's library read as these waves.
  const Architecture &arch = *findByName("gfx90a");
  Header header;
  const std::vector<uint32_t> stack = {0,       0,       0x850005c3,
                                       0x28000, 0x08201, 0x18403};
  WaveShape shape;
  shape.vgprs = 24, shape.accVgprs = 8, shape.sgprs = 112,
  shape.ldsBytes = 1024;
  WaveShape other = shape;
  other.first = false;
  header.waveStateSize =
      uint32_t(recordSize(arch, shape) + 2 * recordSize(arch, other));
  header.waveStateOffset = header.waveStateSize + 4096;
  auto records = parse(arch, header, stack);
  ASSERT_TRUE(bool(records)) << llvm::toString(records.takeError());
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ((*records)[0].shape.vgprs, 24u);
  EXPECT_EQ((*records)[0].shape.accVgprs, 8u);
  EXPECT_EQ((*records)[1].shape.shaderEngine, 1u);
  EXPECT_EQ((*records)[2].shape.scratchSlot, 3u);

  const Architecture &rdna = *findByName("gfx1100");
  const std::vector<uint32_t> stack32 = {0,      0,         0x81000802, 0,
                                         0x1800, 0x1000801, 0x22000803};
  shape = WaveShape();
  shape.lanes = 32, shape.vgprs = 24, shape.sgprs = 128, shape.ldsBytes = 1024;
  other = shape;
  other.first = false;
  header.waveStateSize =
      uint32_t(recordSize(rdna, shape) + 2 * recordSize(rdna, other));
  header.waveStateOffset = header.waveStateSize + 4096;
  records = parse(rdna, header, stack32);
  ASSERT_TRUE(bool(records)) << llvm::toString(records.takeError());
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ((*records)[0].shape.lanes, 32u);
  EXPECT_EQ((*records)[2].shape.shaderEngine, 2u);
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
  auto usable = [](uint32_t major, uint32_t minor) {
    return !llvm::errorToBool(Library::checkVersion({major, minor, 0}));
  };
  EXPECT_TRUE(usable(0, 76));
  EXPECT_TRUE(usable(0, 77));
  EXPECT_TRUE(usable(0, 82));
  EXPECT_FALSE(usable(0, 75));
  EXPECT_FALSE(usable(0, 83));
  EXPECT_FALSE(usable(1, 77));
}

TEST(Loader, Refusals) {
  auto text = [](const char *path) {
    auto library = Library::open(path);
    return library ? std::string() : llvm::toString(library.takeError());
  };
  EXPECT_NE(text("/no/such/library.so").find("/no/such/library.so"),
            std::string::npos);
  EXPECT_NE(text("libc.so.6").find("not a ROCdbgapi library"),
            std::string::npos);
}

} // namespace
