//===-- UnwindCache.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnwindCache.h"
#include "Core/MachineCode/LoadedCode.h"

#include "lldb/Core/Module.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::shared_ptr<FunctionUnwind>
UnwindCache::GetFunction(Target &target, addr_t start, addr_t end) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_functions.find(start);
  if (found != m_functions.end() && found->second.first >= end)
    return found->second.second;
  std::shared_ptr<FunctionUnwind> result;
  std::shared_ptr<AMDGPUMachineCode> code = GetMachineCodeAt(target, start);
  Address address;
  if (code && end > start && target.ResolveLoadAddress(start, address))
    if (const std::vector<uint8_t> bytes =
            ReadCode(target, address, end - start);
        !bytes.empty())
      result = std::make_shared<FunctionUnwind>(*code, start, bytes);
  m_functions[start] = {end, result};
  return result;
}

std::shared_ptr<CallFrameSection>
UnwindCache::GetCallFrames(const ModuleSP &module_sp) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto [it, is_new] = m_call_frames.try_emplace(module_sp);
  if (is_new && module_sp)
    it->second = CallFrameSection::Create(*module_sp);
  return it->second;
}

void UnwindCache::Clear() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_functions.clear();
  m_call_frames.clear();
}
