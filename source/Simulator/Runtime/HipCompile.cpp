//===-- HipCompile.cpp - hiprtc: compiling kernels at run time ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipApi.h"
#include "RunCompiler.h"
#include "wavelane/GPU/Processors.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <hip/hiprtc.h>
#pragma clang diagnostic pop

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace wavelane::runtime;

/// The file that names a program's kernels and variables for the compiler.
static const char NamesFile[] = "hiprtc-names.hip";
static const char OutputFile[] = "hiprtc.co";

namespace {
struct Program {
  std::string Source, Name;
  /// Names and texts.
  std::vector<std::pair<std::string, std::string>> Headers;
  /// Name expressions, and the names in the code object.
  std::vector<std::pair<std::string, std::string>> Names;
  bool IsCompiled = false; ///< compiling was tried
  std::string Log;
  std::vector<char> Code; ///< empty if it can't be compiled
};
} // namespace

static Program *get(hiprtcProgram Handle) {
  return reinterpret_cast<Program *>(Handle);
}

/// The variable whose value is what a name expression names.
static std::string nameVariable(size_t Index) {
  return "__wavelane_hiprtc_name_" + std::to_string(Index);
}

/// Writes the program's files.
/// \return The name of the file to compile; empty with the log set.
static std::string writeFiles(Program &P, const std::string &Folder) {
  std::string Error;
  auto Write = [&](const std::string &Name, const std::string &Text) {
    if (writeSource(Folder, Name, Text, Error))
      return true;
    P.Log = Error + "\n";
    return false;
  };
  for (const auto &[Name, Text] : P.Headers)
    if (!Write(Name, Text))
      return "";
  if (!Write(P.Name, P.Source))
    return "";
  if (P.Names.empty())
    return P.Name;
  // A use of each name makes its template be instantiated.
  std::string Uses = "#include \"" + P.Name + "\"\n";
  for (size_t I = 0; I < P.Names.size(); ++I)
    Uses += "extern \"C\" __device__ const void *" + nameVariable(I) +
            " = (const void *)(" + P.Names[I].first + ");\n";
  return Write(NamesFile, Uses) ? NamesFile : "";
}

static hiprtcResult compile(Program &P,
                            const std::vector<std::string> &Options) {
  std::string Error;
  const std::string Folder = makeSourceFolder(Error);
  if (Folder.empty()) {
    P.Log = Error + "\n";
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
  const std::string Source = writeFiles(P, Folder);
  if (Source.empty())
    return HIPRTC_ERROR_INVALID_INPUT;
  Runtime &R = Runtime::get();
  const bool IsReady = R.ready() == hipSuccess;
  const char *Processor =
      IsReady ? R.Device.device(Runtime::current()).processor
              : wavelane::gpu::get(wavelane::gpu::DefaultDevice).Name;
  if (!runCompiler(Folder, Source, OutputFile, Processor, Options, P.Log))
    return HIPRTC_ERROR_COMPILATION;
  std::ifstream In(Folder + OutputFile, std::ios::binary);
  P.Code.assign(std::istreambuf_iterator<char>(In), {});
  if (P.Code.empty()) {
    P.Log += "the compiler has written no code\n";
    return HIPRTC_ERROR_COMPILATION;
  }
  for (size_t I = 0; I < P.Names.size(); ++I)
    P.Names[I].second = findPointee(P.Code, nameVariable(I));
  return HIPRTC_SUCCESS;
}

extern "C" {

const char *hiprtcGetErrorString(hiprtcResult Result) {
#define NAME(Result)                                                           \
  case Result:                                                                 \
    return #Result;
  switch (Result) {
    NAME(HIPRTC_SUCCESS)
    NAME(HIPRTC_ERROR_OUT_OF_MEMORY)
    NAME(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE)
    NAME(HIPRTC_ERROR_INVALID_INPUT)
    NAME(HIPRTC_ERROR_INVALID_PROGRAM)
    NAME(HIPRTC_ERROR_INVALID_OPTION)
    NAME(HIPRTC_ERROR_COMPILATION)
    NAME(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    NAME(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
    NAME(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
    NAME(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    NAME(HIPRTC_ERROR_INTERNAL_ERROR)
  }
#undef NAME
  return "Invalid HIPRTC error code";
}

hiprtcResult hiprtcVersion(int *Major, int *Minor) {
  if (!Major || !Minor)
    return HIPRTC_ERROR_INVALID_INPUT;
  // AMD's, of any HIP.
  *Major = 9;
  *Minor = 0;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *Out, const char *Source,
                                 const char *Name, int HeaderCount,
                                 const char **Headers,
                                 const char **IncludeNames) {
  if (!Out || !Source)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (HeaderCount < 0 || (HeaderCount > 0 && (!Headers || !IncludeNames)))
    return HIPRTC_ERROR_INVALID_INPUT;
  auto P = std::make_unique<Program>();
  P->Source = Source;
  P->Name = std::filesystem::path(Name ? Name : "").filename().string();
  if (P->Name.empty())
    P->Name = "hiprtc-program.hip";
  for (int I = 0; I < HeaderCount; ++I) {
    if (!Headers[I] || !IncludeNames[I])
      return HIPRTC_ERROR_INVALID_INPUT;
    P->Headers.emplace_back(IncludeNames[I], Headers[I]);
  }
  *Out = reinterpret_cast<hiprtcProgram>(P.release());
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *Handle) {
  if (!Handle)
    return HIPRTC_ERROR_INVALID_INPUT;
  delete get(*Handle);
  *Handle = nullptr;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram Handle, const char *Name) {
  if (!Handle || !Name)
    return HIPRTC_ERROR_INVALID_INPUT;
  Program &P = *get(Handle);
  // AMD's hiprtc takes a name that comes too late, and never knows it.
  if (!P.IsCompiled)
    P.Names.emplace_back(Name, "");
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram Handle, int Count,
                                  const char **Options) {
  if (!Handle)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (Count < 0 || (Count > 0 && !Options))
    return HIPRTC_ERROR_INVALID_OPTION;
  std::vector<std::string> All;
  for (int I = 0; I < Count; ++I) {
    if (!Options[I])
      return HIPRTC_ERROR_INVALID_OPTION;
    All.emplace_back(Options[I]);
  }
  Program &P = *get(Handle);
  P.IsCompiled = true;
  P.Log.clear();
  P.Code.clear();
  return compile(P, All);
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram Handle, const char *Name,
                                  const char **Out) {
  if (!Handle || !Name || !Out)
    return HIPRTC_ERROR_INVALID_INPUT;
  Program &P = *get(Handle);
  if (!P.IsCompiled)
    return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  if (P.Code.empty())
    return HIPRTC_ERROR_COMPILATION;
  for (const auto &[Expression, Lowered] : P.Names)
    if (Expression == Name && !Lowered.empty()) {
      *Out = Lowered.c_str();
      return HIPRTC_SUCCESS;
    }
  return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// The size includes the terminating zero; without messages it is 0.
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram Handle, size_t *Size) {
  if (!Handle || !Size)
    return HIPRTC_ERROR_INVALID_INPUT;
  const std::string &Log = get(Handle)->Log;
  *Size = Log.empty() ? 0 : Log.size() + 1;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram Handle, char *Out) {
  if (!Handle || !Out)
    return HIPRTC_ERROR_INVALID_INPUT;
  const std::string &Log = get(Handle)->Log;
  if (!Log.empty())
    memcpy(Out, Log.c_str(), Log.size() + 1);
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram Handle, size_t *Size) {
  if (!Handle || !Size)
    return HIPRTC_ERROR_INVALID_INPUT;
  *Size = get(Handle)->Code.size();
  return *Size ? HIPRTC_SUCCESS : HIPRTC_ERROR_INVALID_PROGRAM;
}

hiprtcResult hiprtcGetCode(hiprtcProgram Handle, char *Out) {
  if (!Handle || !Out)
    return HIPRTC_ERROR_INVALID_INPUT;
  const std::vector<char> &Code = get(Handle)->Code;
  if (Code.empty())
    return HIPRTC_ERROR_INVALID_PROGRAM;
  memcpy(Out, Code.data(), Code.size());
  return HIPRTC_SUCCESS;
}

} // extern "C"
