//===-- WaveFunctionNames.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveFunctionNames.h"
#include "Core/Record/NameStyle.h"
#include "Plugins/Language/CPlusPlus/CPlusPlusLanguage.h"
#include "SymbolFile/LaneDWARF/LinePlaces.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// In characters; the name of a wave's kernel is cut at the same length.
static constexpr size_t kLongestName = 40;
static constexpr size_t kLongestArguments = 60;

static bool IsGPU(const SymbolContext &sc) {
  return sc.module_sp &&
         sc.module_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn;
}

/// The arguments that fit: "(n=4, x=0x000020000346f000, ...)".
static std::string CutArguments(llvm::StringRef text) {
  if (text.size() <= kLongestArguments)
    return text.str();
  size_t end = 0;
  unsigned depth = 0;
  for (size_t i = 1; i < kLongestArguments; ++i) {
    if (llvm::StringRef("({[<").contains(text[i]))
      ++depth;
    else if (depth && llvm::StringRef(")}]>").contains(text[i]))
      --depth;
    else if (!depth && text.substr(i).starts_with(", "))
      end = i + 2;
  }
  return end ? (text.take_front(end) + "...)").str() : "(...)";
}

/// A name in one of the ways in which compilers, LLDB and people write it:
/// without blanks that don't part words, and "0u" and "0U" as "0".
static std::string WritePlainly(llvm::StringRef name) {
  auto is_word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string plain;
  for (size_t i = 0; i < name.size();) {
    if (name[i] == ' ') {
      const size_t next = name.find_first_not_of(' ', i);
      if (next != llvm::StringRef::npos && is_word(name[next]) &&
          !plain.empty() && is_word(plain.back()))
        plain += ' ';
      i = std::min(next, name.size());
      continue;
    }
    if (!is_word(name[i])) {
      plain += name[i++];
      continue;
    }
    llvm::StringRef word = name.drop_front(i).take_while(is_word);
    i += word.size();
    plain += llvm::isDigit(word[0]) && !word.starts_with_insensitive("0x")
                 ? word.rtrim("uUlL")
                 : word;
  }
  return plain;
}

namespace {

class WaveLanguage : public CPlusPlusLanguage {
public:
  static Language *CreateInstance(LanguageType language) {
    return LanguageIsCPlusPlus(language) &&
                   language != eLanguageTypeObjC_plus_plus
               ? new WaveLanguage()
               : nullptr;
  }

  bool HandleFrameFormatVariable(const SymbolContext &sc,
                                 const ExecutionContext *exe_ctx,
                                 FormatEntity::Entry::Type type,
                                 Stream &s) override {
    using Type = FormatEntity::Entry::Type;
    const NameStyle style = NameStyleScope::Get();
    auto handle = [&](Type each, Stream &out) {
      return CPlusPlusLanguage::HandleFrameFormatVariable(sc, exe_ctx, each,
                                                          out);
    };
    if (style == NameStyle::eFull || !IsGPU(sc))
      return handle(type, s);
    StreamString text;
    switch (type) {
    case Type::FunctionReturnLeft:
    case Type::FunctionReturnRight:
      return true;
    case Type::FunctionScope:
    case Type::FunctionTemplateArguments:
      for (Type part : {Type::FunctionScope, Type::FunctionBasename,
                        Type::FunctionTemplateArguments})
        if (!handle(part, text))
          return handle(type, s);
      return text.GetSize() > kLongestName || handle(type, s);
    case Type::FunctionFormattedArguments:
      if (style == NameStyle::eBrief)
        return true;
      if (!handle(type, text))
        return false;
      s << CutArguments(text.GetString());
      return true;
    default:
      return handle(type, s);
    }
  }

  /// Functions are found by the names of their templates, whose arguments are
  /// compared in DemangledNameContainsPath.
  std::pair<FunctionNameType, std::optional<ConstString>>
  GetFunctionNameInfo(ConstString name) const override {
    auto info = CPlusPlusLanguage::GetFunctionNameInfo(name);
    const llvm::StringRef base =
        info.second ? info.second->GetStringRef() : llvm::StringRef();
    if (base.contains('<') && !base.starts_with("operator"))
      info.second = ConstString(base.split('<').first.rtrim());
    return info;
  }

  bool DemangledNameContainsPath(llvm::StringRef path,
                                 ConstString demangled) const override {
    if (!path.contains('<') || path.contains("operator"))
      return CPlusPlusLanguage::DemangledNameContainsPath(path, demangled);
    return CPlusPlusLanguage::DemangledNameContainsPath(
        WritePlainly(path),
        ConstString(WritePlainly(demangled.GetStringRef())));
  }

  void FilterForLineBreakpoints(
      llvm::SmallVectorImpl<SymbolContext> &places) const override {
    FilterLinePlaces(places);
  }
};

/// Gives access to a private function, which the replacement must also call
/// for each debugger: it makes the settings of LLDB's plugin.
using Initializer = void (*)(Debugger &);
Initializer GetInitializer();
template <Initializer Function> struct InitializerOf {
  friend Initializer GetInitializer() { return Function; }
};
template struct InitializerOf<&CPlusPlusLanguage::DebuggerInitialize>;

} // namespace

void lldb_private::wavelane::InitializeWaveFunctionNames() {
  PluginManager::UnregisterPlugin(CPlusPlusLanguage::CreateInstance);
  PluginManager::RegisterPlugin(
      CPlusPlusLanguage::GetPluginNameStatic(),
      "C++ Language, with short names in waves, and all "
      "copies of a line",
      WaveLanguage::CreateInstance, GetInitializer());
}
