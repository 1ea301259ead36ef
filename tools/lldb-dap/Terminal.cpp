//===-- Terminal.cpp - Programs that a client starts ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terminal.h"
#include "DAP.h"
#include "lldb/API/SBStructuredData.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;
namespace runtimechoice = ::wavelane::runtimechoice;

static std::string GetSetting(lldb::SBDebugger debugger, const char *name) {
  lldb::SBStructuredData setting = debugger.GetSetting(
      (llvm::Twine("plugin.process.amdgpu.") + name).str().c_str());
  char text[64] = "";
  setting.GetStringValue(text, sizeof(text));
  return text;
}

/// The program of a request: LLDB's adapter starts it.
static llvm::StringRef GetProgram(const llvm::json::Object &arguments) {
  const llvm::json::Array *words = arguments.getArray("args");
  for (size_t i = 0; words && i + 1 < words->size(); ++i)
    if ((*words)[i].getAsString() == "--launch-target")
      return (*words)[i + 1].getAsString().value_or("");
  return "";
}

llvm::Error
lldb_dap::wavelane::AddGPUEnvironment(lldb::SBDebugger debugger,
                                      llvm::json::Object &arguments) {
  const llvm::StringRef program = GetProgram(arguments);
  const std::string device = GetSetting(debugger, "device");
  if (program.empty() || device == "hardware" ||
      (device != "simulated" && ::access("/dev/kfd", F_OK) == 0))
    return llvm::Error::success();
  llvm::SmallString<256> folder(DAP::debug_adapter_path);
  llvm::sys::path::remove_filename(folder);
  llvm::sys::path::append(folder, "..", "lib", "wavelane");
  llvm::SmallString<256> own;
  if (std::error_code error = llvm::sys::fs::real_path(folder, own))
    return llvm::createStringError(error, "%s: %s", folder.c_str(),
                                   error.message().c_str());
  if (!arguments.getObject("env"))
    arguments["env"] = llvm::json::Object();
  llvm::json::Object &environment = *arguments.getObject("env");
  auto get = [&](llvm::StringRef variable) -> std::string {
    if (const llvm::json::Value *value = environment.get(variable))
      return value->getAsString().value_or("").str();
    // The terminal's own isn't known.
    const char *value = std::getenv(variable.str().c_str());
    return value ? value : "";
  };
  if (!runtimechoice::mayUseGpu(program, get("LD_LIBRARY_PATH")))
    return llvm::Error::success();
  if (llvm::Error wrong = ::wavelane::protocol::checkVariables(
          get, arguments.getString("cwd").value_or("")))
    return wrong;
  std::string runtime = get(runtimechoice::Variable);
  if (runtime.empty())
    runtime = GetSetting(debugger, "runtime");
  return runtimechoice::setUpDebugging(
             runtimechoice::parse(runtime).value_or(
                 runtimechoice::Runtime::Auto),
             program, own, get,
             [&](llvm::StringRef variable, const std::string &value) {
               environment[variable] = value;
             })
      .takeError();
}
