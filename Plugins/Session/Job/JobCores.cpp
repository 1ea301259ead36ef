//===-- JobCores.cpp - the cores of a job's ranks as one job --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Job.h"
#include "wavelane/Job/Launchers.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace job = ::wavelane::job;

/// More than any program's environment has.
static constexpr unsigned kMaxVariables = 4096;

/// The variables with which the process was started, as far as its memory has
/// them: "NAME=VALUE".
static std::vector<std::string> ReadEnvironment(Process &process) {
  std::vector<std::string> variables;
  // A program may have its own copy of the C library's variable.
  for (const char *name : {"environ", "__environ"}) {
    SymbolContextList found;
    process.GetTarget().GetImages().FindSymbolsWithNameAndType(
        ConstString(name), eSymbolTypeAny, found);
    for (const SymbolContext &context : found) {
      const addr_t place =
          context.symbol ? context.symbol->GetLoadAddress(&process.GetTarget())
                         : LLDB_INVALID_ADDRESS;
      Status error;
      addr_t entry = place == LLDB_INVALID_ADDRESS
                         ? 0
                         : process.ReadPointerFromMemory(place, error);
      for (unsigned i = 0; entry && error.Success() && i < kMaxVariables; ++i) {
        const addr_t text =
            process.ReadPointerFromMemory(entry + i * sizeof(uint64_t), error);
        std::string variable;
        if (error.Fail() || !text)
          break;
        process.ReadCStringFromMemory(text, variable, error);
        variables.push_back(std::move(variable));
      }
      if (!variables.empty())
        return variables;
    }
  }
  return variables;
}

static std::optional<job::Place> FindPlace(Process &process) {
  const std::vector<std::string> variables = ReadEnvironment(process);
  auto place = job::findPlace([&](llvm::StringRef name) -> const char * {
    for (const std::string &variable : variables)
      if (llvm::StringRef(variable).starts_with(name) &&
          variable[name.size()] == '=')
        return variable.c_str() + name.size() + 1;
    return nullptr;
  });
  if (place)
    return std::move(*place);
  llvm::consumeError(place.takeError());
  return std::nullopt;
}

llvm::Error Job::OpenCore(const FileSpec &file) {
  TargetList &targets = m_debugger.GetTargetList();
  TargetSP selected_sp = targets.GetSelectedTarget(), target_sp;
  auto fail = [&](llvm::StringRef why) {
    if (target_sp)
      targets.DeleteTarget(target_sp);
    return llvm::createStringError(file.GetPath() + ": " + why);
  };
  Status error = targets.CreateTarget(m_debugger, /*user_exe_path=*/"",
                                      /*triple_str=*/"", eLoadDependentsNo,
                                      /*platform_options=*/nullptr, target_sp);
  if (error.Success()) {
    ProcessSP process_sp =
        target_sp->CreateProcess(m_debugger.GetListener(), /*plugin_name=*/"",
                                 &file, /*can_connect=*/false);
    if (!process_sp)
      return fail("it isn't a core file");
    error = process_sp->LoadCore();
  }
  if (selected_sp)
    targets.SetSelectedTarget(selected_sp);
  if (error.Fail())
    return fail(error.AsCString());
  ProcessSP process_sp = target_sp->GetProcessSP();
  job::Registration registration;
  std::optional<job::Place> place = FindPlace(*process_sp);
  std::lock_guard<std::mutex> guard(m_mutex);
  registration.Rank = place ? place->Rank : uint32_t(m_ranks.size());
  registration.Host = "-";
  registration.Pid = process_sp->GetID();
  if (Module *program = target_sp->GetExecutableModulePointer())
    registration.Program = program->GetFileSpec().GetPath();
  registration.Source = "core";
  if (auto known = m_ranks.find(registration.Rank); known != m_ranks.end())
    return fail(
        llvm::formatv("two core files claim to be rank {0}", registration.Rank)
            .str());
  if (place && place->Size)
    m_size = std::max(m_size, *place->Size);
  auto rank = std::make_shared<Rank>(registration);
  llvm::consumeError(
      target_sp->SetLabel("rank " + std::to_string(registration.Rank)));
  rank->target_wp = target_sp;
  rank->coupling_sp = GPUCoupling::GetOrCreate(*target_sp);
  rank->state = Rank::State::Stopped;
  rank->is_core = true;
  // It was named before the rank was known.
  if (TargetSP gpu_target_sp = rank->coupling_sp->GetGPUTarget())
    llvm::consumeError(gpu_target_sp->SetLabel(
        "gpu of rank " + std::to_string(registration.Rank)));
  ProcessSP gpu_sp = rank->GetGPU();
  const bool gpu_has = gpu_sp && rank->coupling_sp->HasReason(*gpu_sp);
  rank->has_reason = gpu_has || rank->coupling_sp->HasReason(*process_sp);
  rank->shows_gpu = gpu_has;
  m_ranks[registration.Rank] = rank;
  return llvm::Error::success();
}

std::string Job::SelectCore() {
  const std::vector<RankSP> ranks = GetRanks();
  std::vector<uint32_t> numbers;
  for (const RankSP &rank : ranks)
    numbers.push_back(rank->GetNumber());
  const auto shown =
      llvm::find_if(ranks, [](const RankSP &rank) { return rank->has_reason; });
  if (!ranks.empty())
    Select(shown == ranks.end() ? *ranks.front() : **shown);
  return NameRanks(numbers);
}
