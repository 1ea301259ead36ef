//===-- GPUMemoryCommands.cpp - gpu memory read, write --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddressSpaces.h"
#include "Commands/Base/FindGPU.h"
#include "Core/Lane/ProcessLanes.h"
#include "GPUCommands.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Core/DumpDataExtractor.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

void CompleteSpaces(CommandInterpreter &interpreter, CompletionRequest &request,
                    llvm::StringRef after) {
  ProcessAMDGPU *process = FindGPUProcess(interpreter, nullptr);
  if (!process)
    return;
  llvm::Expected<std::vector<AddressSpaceInfo>> spaces =
      AddressSpaceInfo::GetAll(*process);
  if (!spaces) {
    llvm::consumeError(spaces.takeError());
    return;
  }
  for (const AddressSpaceInfo &space : *spaces)
    request.TryCompleteCurrentArg(space.name + after.str());
}

class SpaceOptions : public SimpleOptions {
public:
  using SimpleOptions::SimpleOptions;
  void
  HandleOptionArgumentCompletion(CompletionRequest &request,
                                 OptionElementVector &options, int index,
                                 CommandInterpreter &interpreter) override {
    const int definition = options[index].opt_defs_index;
    if (definition >= 0 && GetDefinitions()[definition].short_option == 's')
      return CompleteSpaces(interpreter, request, "");
    SimpleOptions::HandleOptionArgumentCompletion(request, options, index,
                                                  interpreter);
  }
};

constexpr OptionDefinition SpaceOption =
    WordOption("space", 's', eArgTypeName,
               "The address space, by name or number (default: global).");
constexpr OptionDefinition LaneOption =
    WordOption("lane", 'l', eArgTypeUnsignedInteger,
               "The lane (default: the focus lane).");
constexpr OptionDefinition SizeOption =
    WordOption("size", 'z', eArgTypeByteSize,
               "Bytes of a unit: 1, 2, 4 or 8 (default: 4, or the format's).");

//===-- Shared by read and write ------------------------------------------===//

/// An address in a space, and the wave and lane that it belongs to.
struct Place {
  ProcessAMDGPU &process;
  AddressSpaceInfo space;
  uint64_t address;
  tid_t tid = LLDB_INVALID_THREAD_ID;
  uint32_t lane = 0;

  size_t Read(void *data, size_t size, Status &error) const {
    if (space.number == eSpaceGlobal)
      return process.ReadMemory(address, data, size, error);
    return process.ReadAddressSpace(tid, lane, space.number, address, data,
                                    size, error);
  }
  size_t Write(const void *data, size_t size, Status &error) const {
    if (space.number == eSpaceGlobal)
      return process.WriteMemory(address, data, size, error);
    return process.WriteAddressSpace(tid, lane, space.number, address, data,
                                     size, error);
  }
};

class SpaceMemoryCommand : public CommandObjectParsed {
public:
  SpaceMemoryCommand(CommandInterpreter &interpreter, const char *name,
                     const char *help, const char *syntax,
                     llvm::ArrayRef<OptionDefinition> options)
      : CommandObjectParsed(interpreter, name, help, syntax,
                            eCommandTryTargetAPILock),
        m_options(options) {}
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteSpaces(m_interpreter, request, "#");
  }

protected:
  llvm::Expected<Place> GetPlace(Args &command, ProcessAMDGPU &process) {
    if (process.GetState() != eStateStopped)
      return llvm::createStringError(
          "the GPU's process is not stopped: `process interrupt` stops it");
    llvm::Expected<SpaceAndAddress> where = SpaceAndAddress::Parse(
        process, command[0].ref(),
        m_options.Has('s') ? m_options.Get('s') : "global");
    if (!where)
      return where.takeError();
    Place place{process, where->space, where->address};
    if (llvm::Error error = FindOwner(place))
      return std::move(error);
    return place;
  }

  /// The size of a unit in bytes.
  llvm::Expected<uint32_t> GetUnit(uint32_t otherwise) const {
    uint32_t unit = otherwise;
    if (m_options.Has('z') && (m_options.Get('z').getAsInteger(0, unit) ||
                               unit > 8 || !llvm::isPowerOf2_32(unit)))
      return llvm::createStringError("the size of a unit must be 1, 2, 4 or 8");
    return unit;
  }

  SpaceOptions m_options;

private:
  /// Finds the wave and lane that memory of some spaces belongs to.
  llvm::Error FindOwner(Place &place) {
    ThreadSP thread_sp = m_exe_ctx.GetThreadSP();
    if (!thread_sp || m_exe_ctx.GetProcessPtr() != &place.process)
      thread_sp = place.process.GetThreadList().GetSelectedThread();
    if (!thread_sp && place.space.number != eSpaceGlobal)
      return llvm::createStringError(
          place.space.name +
          " memory belongs to a wave, and no wave is selected: `thread list` "
          "shows the waves, `thread select` selects one");
    if (!thread_sp)
      return llvm::Error::success();
    place.tid = thread_sp->GetID();
    place.lane = GetFocusLane(*thread_sp);
    if (!m_options.Has('l'))
      return llvm::Error::success();
    StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(0);
    if (!frame_sp)
      return llvm::createStringError("the wave has no frame");
    llvm::Expected<LaneView> view = LaneView::Get(*frame_sp);
    if (!view)
      return view.takeError();
    llvm::Expected<uint32_t> lane = ParseLane(m_options.Get('l'), *view);
    if (!lane)
      return lane.takeError();
    place.lane = *lane;
    return llvm::Error::success();
  }
};

//===-- read --------------------------------------------------------------===//

constexpr OptionDefinition g_read_options[] = {
    SpaceOption,
    LaneOption,
    WordOption("count", 'c', eArgTypeCount,
               "How many units to read (default: 8)."),
    SizeOption,
    WordOption("format", 'f', eArgTypeFormat,
               "How to show units, a format of `memory read --format` "
               "(default: hex)."),
    Switch("json", 'j', "Print JSON: the bytes in hexadecimal."),
};

class GPUMemoryReadCommand : public SpaceMemoryCommand {
public:
  explicit GPUMemoryReadCommand(CommandInterpreter &interpreter)
      : SpaceMemoryCommand(interpreter, "gpu memory read",
                           "Read memory in one of the GPU's address spaces, "
                           "some of which are separate for each lane or wave.",
                           "gpu memory read [--space <space>] [--lane <lane>] "
                           "[--count <n>] [--size <bytes>] [--format <format>] "
                           "[--json] <address>",
                           g_read_options) {
    AddSimpleArgumentList(eArgTypeAddress);
    SetHelpLong(R"(
Depending on the space, the memory belongs to the selected wave, or to its
focus lane. The space can also be written before the address, as in
local#0x40, here and in `memory read`, `memory write`, `memory find` and
`memory region`.

Examples:

(lldb) gpu memory read --space local 0x40
(lldb) gpu memory read --space private_lane --lane 3 --count 16 0
(lldb) gpu memory read --format float local#0x40
(lldb) memory read --format float local#0x40
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount() != 1) {
      result.AppendErrorWithFormatv("give one address: {0}", GetSyntax());
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    llvm::Expected<Place> place = GetPlace(command, *process);
    if (!place) {
      result.AppendError(llvm::toString(place.takeError()));
      return;
    }
    llvm::Expected<Shape> shape = GetShape();
    if (!shape) {
      result.AppendError(llvm::toString(shape.takeError()));
      return;
    }
    std::vector<uint8_t> data(size_t(shape->count) * shape->unit);
    Status error;
    size_t done = place->Read(data.data(), data.size(), error);
    done -= done % shape->unit;
    if (done == 0) {
      result.AppendErrorWithFormat("%s memory at 0x%" PRIx64
                                   " can't be read: %s\n",
                                   place->space.name.c_str(), place->address,
                                   error.AsCString("it has no bytes there"));
      return;
    }
    const llvm::ArrayRef<uint8_t> bytes = llvm::ArrayRef(data).take_front(done);
    if (m_options.Has('j'))
      return AppendJSON(result,
                        llvm::json::Object{
                            {"space", place->space.name},
                            {"address", place->address},
                            {"bytes", llvm::toHex(bytes, /*LowerCase=*/true)}});
    result.AppendMessage(Dump(*place, *shape, bytes));
    if (done < data.size())
      result.AppendWarningWithFormat("only %zu of %zu bytes can be read: %s\n",
                                     done, data.size(),
                                     error.AsCString("end of the memory"));
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// How to show the bytes.
  struct Shape {
    Format format = eFormatHex;
    uint32_t unit = 4;
    uint32_t count = 8;
  };

  llvm::Expected<Shape> GetShape() const {
    Shape shape;
    if (m_options.Has('f')) {
      size_t size = 0;
      Status error = OptionArgParser::ToFormat(m_options.Get('f').str().c_str(),
                                               shape.format, &size);
      if (error.Fail())
        return error.takeError();
      if (size)
        shape.unit = uint32_t(size);
      else if (shape.format == eFormatChar || shape.format == eFormatBytes)
        shape.unit = 1;
    }
    llvm::Expected<uint32_t> unit = GetUnit(shape.unit);
    if (!unit)
      return unit.takeError();
    shape.unit = *unit;
    if (m_options.Has('c') &&
        (m_options.Get('c').getAsInteger(0, shape.count) || shape.count == 0 ||
         shape.count > 65536))
      return llvm::createStringError(
          "the count must be a number from 1 to 65536");
    return shape;
  }

  static std::string Dump(const Place &place, const Shape &shape,
                          llvm::ArrayRef<uint8_t> bytes) {
    StreamString text;
    const DataExtractor data(bytes.data(), bytes.size(), eByteOrderLittle, 8);
    const size_t in_line = 16 / shape.unit;
    for (size_t i = 0; i < bytes.size() / shape.unit; ++i) {
      const offset_t at = i * shape.unit;
      if (i % in_line == 0)
        text.Format("{0}{1}#{2:x}:", i ? "\n" : "", place.space.name,
                    place.address + at);
      text.PutChar(' ');
      DumpDataExtractor(data, &text, at, shape.format, shape.unit,
                        /*item_count=*/1, /*num_per_line=*/UINT32_MAX,
                        LLDB_INVALID_ADDRESS, /*item_bit_size=*/0,
                        /*item_bit_offset=*/0);
    }
    return text.GetString().str();
  }
};

//===-- write -------------------------------------------------------------===//

constexpr OptionDefinition g_write_options[] = {SpaceOption, LaneOption,
                                                SizeOption};

class GPUMemoryWriteCommand : public SpaceMemoryCommand {
public:
  explicit GPUMemoryWriteCommand(CommandInterpreter &interpreter)
      : SpaceMemoryCommand(interpreter, "gpu memory write",
                           "Write memory in one of the GPU's address spaces.",
                           "gpu memory write [--space <space>] [--lane <lane>] "
                           "[--size <bytes>] <address> <value> [<value> ...]",
                           g_write_options) {
    CommandArgumentEntry address, value;
    address.push_back(CommandArgumentData(eArgTypeAddress));
    value.push_back(CommandArgumentData(eArgTypeValue, eArgRepeatPlus));
    m_arguments.push_back(address);
    m_arguments.push_back(value);
    SetHelpLong(R"(
Examples:

(lldb) gpu memory write --space local 0x40 7
(lldb) gpu memory write --space private_lane --lane 3 --size 8 16 0x1122334455
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount() < 2) {
      result.AppendErrorWithFormatv("an address and values are required: {0}",
                                    GetSyntax());
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    llvm::Expected<Place> place = GetPlace(command, *process);
    if (!place) {
      result.AppendError(llvm::toString(place.takeError()));
      return;
    }
    llvm::Expected<std::vector<uint8_t>> data = ParseValues(command);
    if (!data) {
      result.AppendError(llvm::toString(data.takeError()));
      return;
    }
    Status error;
    const size_t done = place->Write(data->data(), data->size(), error);
    if (done != data->size()) {
      result.AppendErrorWithFormat(
          "%s memory at 0x%" PRIx64 " can't be written: %s\n",
          place->space.name.c_str(), place->address + done,
          error.AsCString("it has no bytes there"));
      return;
    }
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  }

private:
  llvm::Expected<std::vector<uint8_t>> ParseValues(const Args &command) const {
    llvm::Expected<uint32_t> unit = GetUnit(4);
    if (!unit)
      return unit.takeError();
    std::vector<uint8_t> data;
    for (const Args::ArgEntry &word : command.entries().drop_front()) {
      uint64_t value;
      int64_t negative;
      if (!word.ref().getAsInteger(0, negative))
        value = uint64_t(negative);
      else if (word.ref().getAsInteger(0, value))
        return llvm::createStringError("invalid number '" + word.ref() + "'");
      const uint32_t bits = *unit * 8;
      if (bits < 64 && value >> bits != 0 &&
          (int64_t(value) >= 0 || int64_t(value) >> (bits - 1) != -1))
        return llvm::createStringError("%s does not fit into %u bytes",
                                       word.c_str(), *unit);
      for (uint32_t byte = 0; byte < *unit; ++byte)
        data.push_back(uint8_t(value >> (8 * byte)));
    }
    return data;
  }
};

class GPUMemoryCommand : public CommandGroup {
public:
  explicit GPUMemoryCommand(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "gpu memory",
                     "Commands for the memory of the GPU's address spaces.", R"(
`gpu address-space list` shows the spaces. `memory read` reads global memory,
too.

Examples:

(lldb) gpu memory read --space local 0x40
(lldb) gpu memory write --space private_lane --lane 3 16 7
)") {
    LoadSubCommand("read", std::make_shared<GPUMemoryReadCommand>(interpreter));
    LoadSubCommand("write",
                   std::make_shared<GPUMemoryWriteCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeGPUMemoryCommand(CommandInterpreter &interpreter) {
  return std::make_shared<GPUMemoryCommand>(interpreter);
}
