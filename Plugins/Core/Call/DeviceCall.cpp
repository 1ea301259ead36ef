//===-- DeviceCall.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceCall.h"

#include "Core/Lane/WindowAddress.h"
#include "Core/Support/Processor.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace ::wavelane;
using isa::StepResult;

// Arguments are in v0 to v30; v31 has the work-item's position (LLVM's "User
// Guide for AMDGPU Backend", "Non-Kernel Functions").
static constexpr uint32_t kArgumentRegisters = 31;
static constexpr uint32_t kPositionRegister = 31;
static constexpr uint32_t kRegisters = 512;
static constexpr uint64_t kMostInstructions = 20'000'000;
static constexpr uint64_t kInstructionsAtOnce = 200'000;

template <typename... Args>
static llvm::Error Fail(const char *format, Args &&...args) {
  return llvm::createStringError(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

DeviceCall::DeviceCall(Process &process, Wave &wave, uint32_t lane,
                       const FunctionCall &call)
    : m_process(process), m_wave(wave), m_lane(lane), m_call(call),
      m_memory(process, wave, lane), m_stack(m_memory.GetStackBegin()) {}

llvm::Expected<uint32_t> DeviceCall::Reserve(uint64_t size,
                                             uint64_t alignment) {
  const uint64_t begin =
      llvm::alignTo(m_stack, std::max<uint64_t>(alignment, 16));
  if (begin + size > m_memory.GetLaneSize())
    return Fail("its arguments need more than the {0} bytes of a call's stack",
                uint32_t(CallMemory::kStackSize));
  m_stack = uint32_t(begin + size);
  return uint32_t(begin);
}

llvm::Expected<uint32_t> DeviceCall::Place(llvm::ArrayRef<uint8_t> bytes,
                                           uint64_t alignment) {
  llvm::Expected<uint32_t> begin = Reserve(bytes.size(), alignment);
  for (size_t i = 0; begin && i < bytes.size(); ++i)
    m_memory.At(*begin + uint32_t(i)) = bytes[i];
  return begin;
}

void DeviceCall::PassWord(uint32_t word) {
  if (m_next_register < kArgumentRegisters)
    m_state.vgpr(m_next_register++, m_lane) = word;
  else
    m_stack_words.push_back(word);
}

/// The part of a value in the registers of four bytes that it fills.
static std::vector<uint32_t> GetWords(llvm::ArrayRef<uint8_t> value,
                                      const Passing::Part &part,
                                      bool is_signed) {
  uint64_t bits[2] = {};
  memcpy(bits, value.data() + part.offset,
         std::min<uint64_t>(part.size, sizeof(bits)));
  if (is_signed && part.size < 4)
    bits[0] = uint64_t(llvm::SignExtend64(bits[0], unsigned(part.size) * 8));
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < part.size; i += 4)
    words.push_back(uint32_t(bits[i / 8] >> i % 8 * 8));
  return words;
}

/// The generic address of an object that the program has in memory; nullopt if
/// only the debugger has it.
static std::optional<uint64_t> FindObject(Process &process, CallMemory &memory,
                                          uint64_t address, uint64_t size) {
  if (IsWindowAddress(address))
    return std::nullopt;
  std::vector<uint8_t> bytes(size);
  if (!memory.Read(address, bytes.data(), size))
    return std::nullopt;
  // LLDB's own objects have addresses at which the program can access nothing,
  // though AMD's library reads zeros there.
  MemoryRegionInfo region;
  if (!ApertureSpace(address) &&
      process.GetMemoryRegionInfo(address, region).Success() &&
      region.GetReadable() == MemoryRegionInfo::eNo)
    return std::nullopt;
  return address;
}

llvm::Error DeviceCall::PassObject(const FunctionCall::Value &argument,
                                   llvm::MutableArrayRef<uint8_t> memory) {
  uint64_t address = llvm::support::endian::read64le(&memory[argument.offset]);
  // Nothing is copied back where the function has the object itself.
  uint64_t target = CallsFunctions::kCallAddresses + argument.object_offset;
  if (!FindObject(m_process, m_memory, address, argument.object_size)) {
    llvm::Expected<uint32_t> copy =
        Place(memory.slice(argument.object_offset, argument.object_size), 16);
    if (!copy)
      return copy.takeError();
    target = address;
    address = ::wavelane::gpu::PrivateAperture + *copy;
  }
  llvm::support::endian::write64le(&memory[argument.object_target], target);
  m_objects.push_back(address);
  PassWord(uint32_t(address));
  PassWord(uint32_t(address >> 32));
  return llvm::Error::success();
}

llvm::Error DeviceCall::PassArguments(llvm::MutableArrayRef<uint8_t> memory) {
  if (m_call.result.size && m_call.result.passing.in_memory) {
    llvm::Expected<uint32_t> address =
        Reserve(m_call.result.size, m_call.result.alignment);
    if (!address)
      return address.takeError();
    m_result_address = *address;
    PassWord(m_result_address);
    if (m_call.is_result_generic)
      PassWord(uint32_t(::wavelane::gpu::PrivateAperture >> 32));
  }
  for (const FunctionCall::Value &argument : m_call.arguments) {
    llvm::ArrayRef<uint8_t> value =
        memory.slice(argument.offset, argument.size);
    if (argument.object_size) {
      if (llvm::Error error = PassObject(argument, memory))
        return error;
    } else if (argument.passing.in_memory) {
      llvm::Expected<uint32_t> address = Place(value, argument.alignment);
      if (!address)
        return address.takeError();
      PassWord(*address);
    } else {
      for (const Passing::Part &part : argument.passing.parts)
        for (uint32_t word : GetWords(value, part, argument.passing.is_signed))
          PassWord(word);
    }
  }
  return llvm::Error::success();
}

/// What a function can ask of its dispatch: the packet of HSA, then what the
/// kernel's implicit arguments have (LLVM's AMDGPUUsage, "Code Object V5
/// Metadata": hidden_block_count_x and so on).
std::vector<uint8_t> DeviceCall::MakePacket() {
  constexpr size_t kPacket = 64, kImplicit = 256;
  std::vector<uint8_t> bytes(kPacket + kImplicit);
  auto put = [&](size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i)
      bytes[at + i] = uint8_t(value >> (8 * i));
  };
  auto sizes = m_wave.GetExtent(LaneSource::eWorkgroupSize, m_lane);
  auto counts = m_wave.GetExtent(LaneSource::eWorkgroupCount, m_lane);
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t size = sizes ? (*sizes)[i] : 1;
    const uint64_t count = counts ? (*counts)[i] : 1;
    put(4 + 2 * i, size, 2);
    put(12 + 4 * i, size * count, 4);
    put(kPacket + 4 * i, count, 4);
    put(kPacket + 12 + 2 * i, size, 2);
  }
  put(2, 3, 2);
  put(40, m_wave.GetKernelArguments().value_or(0), 8);
  put(kPacket + 64, 3, 2);
  return bytes;
}

void DeviceCall::PassPosition() {
  auto item = m_wave.GetWorkItem(m_lane);
  auto group = m_wave.GetExtent(LaneSource::eWorkgroup, m_lane);
  if (item)
    m_state.vgpr(kPositionRegister, m_lane) = item->in_workgroup[0] |
                                              item->in_workgroup[1] << 10 |
                                              item->in_workgroup[2] << 20;
  m_memory.SetPacket(MakePacket());
  m_state.setPair(4, CallMemory::kPacketAddress);
  m_state.setPair(8, CallMemory::kPacketAddress + 64);
  for (unsigned i = 0; group && i < 3; ++i)
    m_state.Scalar[12 + i] = (*group)[i];
  // gfx12 has it in ttmps.
  if (group) {
    m_state.ttmp()[9] = (*group)[0];
    m_state.ttmp()[7] = (*group)[1] | (*group)[2] << 16;
  }
}

llvm::Error DeviceCall::DescribeEnd(const StepResult &end) {
  switch (end.Reason) {
  case StepResult::MemoryViolation:
    if (IsWindowAddress(end.FaultAddress))
      return Fail("it follows a pointer to a variable that isn't in memory");
    return Fail("memory violation at address {0:x}, by its instruction at "
                "{1:x}; nothing was changed",
                end.FaultAddress, end.Address);
  case StepResult::Barrier:
  case StepResult::BarrierWait:
  case StepResult::GridBarrier:
    return Fail("it waits for other waves at a barrier, and runs alone");
  case StepResult::EndPgm:
    return Fail("it ends the wave");
  case StepResult::Trap:
    return Fail("it ends in a trap, as a failed assert does");
  case StepResult::SendMsg:
    return Fail("it sends a message to the host (as printf does), which "
                "nobody answers in a call");
  case StepResult::IllegalInstruction:
    return Fail("{0}", end.Text);
  default:
    return Fail("it stops at {0:x}", end.Address);
  }
}

llvm::Error DeviceCall::Execute() {
  isa::Executor executor(m_state.Processor, m_memory);
  Debugger &debugger = m_process.GetTarget().GetDebugger();
  for (uint64_t done = 0; done < kMostInstructions;) {
    StepResult result = executor.run(m_state, kInstructionsAtOnce);
    done += std::max<uint64_t>(result.Executed, 1);
    if (result.Reason == StepResult::MemoryViolation &&
        m_state.PC == CallMemory::kReturnAddress)
      return llvm::Error::success();
    if (debugger.InterruptRequested())
      return Fail("interrupted");
    switch (result.Reason) {
    case StepResult::Continued:
    case StepResult::Sleep:
    case StepResult::BarrierSignal:
    case StepResult::FPException:
      continue;
    default:
      return DescribeEnd(result);
    }
  }
  return Fail("it hasn't returned after {0} million instructions; nothing was "
              "changed",
              kMostInstructions / 1'000'000);
}

void DeviceCall::TakeResults(llvm::MutableArrayRef<uint8_t> memory) {
  const FunctionCall::Value &result = m_call.result;
  if (result.size && result.passing.in_memory) {
    for (uint64_t i = 0; i < result.size; ++i)
      memory[result.offset + i] = m_memory.At(m_result_address + uint32_t(i));
  } else if (result.size) {
    uint32_t number = 0;
    for (const Passing::Part &part : result.passing.parts)
      for (uint64_t i = 0; i < part.size; i += 4, ++number) {
        const uint32_t word = m_state.vgpr(number, m_lane);
        memcpy(&memory[result.offset + part.offset + i], &word,
               std::min<uint64_t>(4, part.size - i));
      }
  }
  size_t object = 0;
  for (const FunctionCall::Value &argument : m_call.arguments)
    if (argument.object_size)
      m_memory.Read(m_objects[object++], &memory[argument.object_offset],
                    argument.object_size);
}

llvm::Error DeviceCall::Run(llvm::MutableArrayRef<uint8_t> memory) {
  Target &target = m_process.GetTarget();
  const addr_t entry = m_call.address.GetLoadAddress(&target);
  if (entry == LLDB_INVALID_ADDRESS)
    return Fail("its code isn't loaded");
  const gpu::Processor *processor =
      GetProcessor(GetArchitectureAt(target, entry));
  if (!processor)
    return Fail("the GPU of its code isn't known");

  m_state.Processor = processor->Id;
  m_state.LaneCount = uint8_t(m_wave.GetLaneCount());
  m_state.allocateVGPRs(kRegisters, kRegisters);
  m_state.LDS = m_memory.GetLocal().data();
  m_state.LDSSize = uint32_t(m_memory.GetLocal().size());
  m_state.ScratchLaneSize = m_memory.GetLaneSize();
  m_state.setFlatScratch(CallMemory::kScratchBase);
  m_state.setExec(uint64_t(1) << m_lane);
  // How the kernel rounds; no exceptions, no steps.
  if (std::optional<uint64_t> mode = m_wave.ReadScalarRegister("mode"))
    m_state.Mode = (isa::mode::Default & ~0xffu) | (*mode & 0xff);

  if (llvm::Error error = PassArguments(memory))
    return error;
  PassPosition();
  const uint32_t lanes = m_state.LaneCount;
  llvm::Expected<uint32_t> stack = Reserve(m_stack_words.size() * 4, 16);
  if (!stack)
    return stack.takeError();
  for (size_t i = 0; i < m_stack_words.size() * 4; ++i)
    m_memory.At(*stack + uint32_t(i)) =
        uint8_t(m_stack_words[i / 4] >> i % 4 * 8);

  // The buffer of the wave's private memory, as the packet processor makes it
  // for kernels: see Simulator/Device/Dispatch.cpp.
  const bool architected = processor->family().HasArchitectedScratch;
  const uint32_t stride = lanes == 32 ? 2 : 3;
  m_state.setPair(0, CallMemory::kScratchBase | uint64_t(1) << 63);
  m_state.Scalar[2] = m_state.ScratchLaneSize * lanes;
  m_state.Scalar[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | stride << 21 |
                      1u << 23 | gpu::features(*processor).ScratchFormat;
  m_state.setPair(30, CallMemory::kReturnAddress);
  m_state.Scalar[32] = architected ? *stack : *stack * lanes;
  m_state.PC = entry;
  if (llvm::Error error = Execute())
    return error;
  TakeResults(memory);
  return m_memory.Commit().takeError();
}
