//===-- CoreFiles.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreFiles.h"
#include "Commands/Job/JobCommands.h"
#include "Session/Coupling/GPUCoupling.h"
#include "Session/Job/Job.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Magic.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsCore(llvm::StringRef path) {
  llvm::file_magic magic;
  return !llvm::identify_magic(path, magic) &&
         magic == llvm::file_magic::elf_core;
}

/// \return Whether there is a core among the words of \a args from \a begin on,
/// and nothing but cores and \a options.
static bool TakeCores(const Args &args, size_t begin,
                      llvm::ArrayRef<llvm::StringRef> options,
                      std::vector<std::string> &files) {
  for (size_t i = begin; i < args.GetArgumentCount(); ++i) {
    const llvm::StringRef word = args[i].ref();
    if (llvm::is_contained(options, word))
      continue;
    if (!IsCore(word))
      return false;
    files.push_back(word.str());
  }
  return !files.empty();
}

bool lldb_private::wavelane::CreateTargetOfCores(Debugger &debugger,
                                                 llvm::StringRef line,
                                                 CommandReturnObject &result) {
  std::vector<std::string> files;
  if (!TakeCores(Args(line), /*begin=*/2, {"--core", "-c"}, files) ||
      files.size() < 2)
    return false;
  OpenJobCores(debugger, files, result);
  return true;
}

bool lldb_private::wavelane::AddCores(Debugger &debugger, llvm::StringRef line,
                                      CommandReturnObject &result) {
  const Args words(line);
  size_t i = 2;
  while (i < words.GetArgumentCount() && words[i].ref() == "--")
    ++i;
  std::vector<std::string> files;
  TargetList &targets = debugger.GetTargetList();
  lldb::TargetSP target_sp = targets.GetSelectedTarget();
  if (i >= words.GetArgumentCount() || words[i].ref() != "target.run-args" ||
      !target_sp || !TakeCores(words, i + 1, {}, files))
    return false;
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(*target_sp);
  if (coupling_sp)
    target_sp = coupling_sp->GetHostTarget();
  std::shared_ptr<Job> job = Job::Find(debugger);
  if (RankSP rank = job ? job->FindRank(*target_sp) : nullptr) {
    if (!rank->is_core)
      return false;
    for (const std::string &file : files)
      if (llvm::Error error = job->OpenCore(FileSpec(file)))
        result.AppendError(llvm::toString(std::move(error)));
    result.AppendMessage("cores of " + job->SelectCore());
    if (result.GetErrorString().empty())
      result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
    return true;
  }
  // `lldb PROGRAM -c core.*`: the first is open already, by itself.
  lldb::ProcessSP process_sp = target_sp->GetProcessSP();
  const FileSpec first = process_sp ? process_sp->GetCoreFile() : FileSpec();
  if (!first)
    return false;
  files.insert(files.begin(), first.GetPath());
  if (lldb::TargetSP gpu_sp =
          coupling_sp ? coupling_sp->GetGPUTarget() : nullptr)
    targets.DeleteTarget(gpu_sp);
  targets.DeleteTarget(target_sp);
  OpenJobCores(debugger, files, result);
  return true;
}
