//===-- CallFrameSection.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallFrameSection.h"
#include "Core/Lane/Wave.h"
#include "Core/Lane/WindowAddress.h"
#include "wavelane/Location/Architecture.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace location = ::wavelane::location;

std::shared_ptr<CallFrameSection> CallFrameSection::Create(Module &module) {
  SectionList *sections = module.GetSectionList();
  SectionSP section_sp =
      sections ? sections->FindSectionByType(eSectionTypeDWARFDebugFrame, true)
               : SectionSP();
  DataExtractor data;
  if (!section_sp || !module.GetObjectFile() ||
      module.GetObjectFile()->ReadSectionData(section_sp.get(), data) == 0)
    return nullptr;
  auto result = std::make_shared<CallFrameSection>();
  const llvm::ArrayRef<uint8_t> bytes = data.GetData();
  result->m_bytes.assign(bytes.begin(), bytes.end());
  llvm::Expected<std::vector<location::FrameDescription>> frames =
      location::readFrameSection(result->m_bytes);
  if (!frames) {
    LLDB_LOG_ERROR(GetLog(LLDBLog::Unwind), frames.takeError(),
                   "call-frame information of {1}: {0}",
                   module.GetFileSpec().GetFilename());
    return nullptr;
  }
  result->m_frames = std::move(*frames);
  return result;
}

std::optional<location::CallFrameRow>
CallFrameSection::FindRow(addr_t file_address) const {
  for (const location::FrameDescription &frame : m_frames) {
    if (file_address < frame.Begin || file_address - frame.Begin >= frame.Size)
      continue;
    llvm::Expected<location::CallFrameRow> row =
        location::findRow(frame, file_address);
    if (!row) {
      LLDB_LOG_ERROR(GetLog(LLDBLog::Unwind), row.takeError(),
                     "call-frame information at {1:x}: {0}", file_address);
      return std::nullopt;
    }
    if (row->CFA.Kind == location::CallFrameAddressRule::None ||
        !row->Registers.count(kReturnAddressNumber))
      return std::nullopt;
    return std::move(*row);
  }
  return std::nullopt;
}

/// The context of rules: the registers of their frame, and memory.
class CallFrameEvaluation::Context : public location::Context {
public:
  Context(Wave &wave, RegisterReader read_register)
      : m_wave(wave), m_thread(wave.GetThread()),
        m_read_register(std::move(read_register)) {}

  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override {
    const location::Architecture *architecture = location::Architecture::find(
        m_wave.GetLaneCount() == 32 ? "amdgpu-wave32" : "amdgpu-wave64");
    return architecture ? architecture->getAddressSpace(number) : std::nullopt;
  }

  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override {
    const RegisterInfo *info = Find(number);
    if (!info)
      return location::failed("the wave has no register " +
                              llvm::Twine(number));
    return info->byte_size;
  }

  llvm::Error readRegister(uint64_t number, uint64_t, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override {
    const RegisterInfo *info = Find(number);
    std::optional<std::vector<uint8_t>> bytes =
        info ? m_read_register(*info) : std::nullopt;
    if (!bytes || offset > bytes->size() ||
        into.size() > bytes->size() - offset)
      return location::failed("register " + llvm::Twine(number) +
                              " isn't known in this frame");
    std::copy_n(bytes->begin() + offset, into.size(), into.begin());
    return llvm::Error::success();
  }

  llvm::Error readMemory(uint64_t space, std::optional<uint32_t> lane, uint64_t,
                         uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override {
    ProcessSP process_sp = m_thread.GetProcess();
    auto *memory = dynamic_cast<AddressSpaceMemory *>(process_sp.get());
    Status error;
    size_t size = 0;
    if (space == eSpaceGlobal)
      size = process_sp->ReadMemory(address, into.data(), into.size(), error);
    else if (memory)
      size = memory->ReadAddressSpace(m_thread.GetProtocolID(),
                                      lane.value_or(0), space, address,
                                      into.data(), into.size(), error);
    if (size != into.size())
      return location::failed("memory of the frame can't be read");
    return llvm::Error::success();
  }

  uint64_t getThread() override { return m_thread.GetID(); }
  uint32_t getLaneCount() override { return m_wave.GetLaneCount(); }

private:
  const RegisterInfo *Find(uint64_t number) {
    RegisterContextSP reg_ctx_sp = m_thread.GetRegisterContext();
    const uint32_t index =
        reg_ctx_sp && number <= UINT32_MAX
            ? reg_ctx_sp->ConvertRegisterKindToRegisterNumber(
                  eRegisterKindDWARF, uint32_t(number))
            : LLDB_INVALID_REGNUM;
    return index == LLDB_INVALID_REGNUM
               ? nullptr
               : reg_ctx_sp->GetRegisterInfoAtIndex(index);
  }

  Wave &m_wave;
  Thread &m_thread;
  const RegisterReader m_read_register;
};

static location::EvaluationOptions GetOptions() {
  location::EvaluationOptions options;
  options.Decode.DirectCodes = true;
  return options;
}

CallFrameEvaluation::CallFrameEvaluation(Wave &wave,
                                         RegisterReader read_register,
                                         const location::CallFrameRow &row)
    : m_context(std::make_unique<Context>(wave, std::move(read_register))),
      m_unwinder(row, *m_context, /*KeepsRegisters=*/true, GetOptions()) {}

CallFrameEvaluation::~CallFrameEvaluation() = default;

std::optional<std::vector<uint8_t>>
CallFrameEvaluation::ReadCallersRegister(uint64_t number, size_t size) {
  llvm::Expected<location::Location> place = m_unwinder.getRegister(number);
  if (!place) {
    LLDB_LOG_ERROR(GetLog(LLDBLog::Unwind), place.takeError(),
                   "rule of register {1}: {0}", number);
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(size);
  if (llvm::Error error = place->read(*m_context, size * 8, bytes)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return bytes;
}

std::optional<uint64_t> CallFrameEvaluation::GetCFA() {
  llvm::Expected<location::Location> cfa = m_unwinder.getCallFrameAddress();
  if (!cfa) {
    LLDB_LOG_ERROR(GetLog(LLDBLog::Unwind), cfa.takeError(),
                   "canonical frame address: {0}");
    return std::nullopt;
  }
  if (cfa->Number != eSpacePrivateWave || cfa->Offset < 0)
    return std::nullopt;
  return uint64_t(cfa->Offset / 8);
}
