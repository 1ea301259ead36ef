//===-- MacroWatch.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MacroWatch.h"

#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace wavelane::source;

namespace {
class MacroWatch : public PPCallbacks {
public:
  MacroWatch(Preprocessor &PP, std::string &Unknown)
      : PP(PP), Unknown(Unknown) {}

  void If(SourceLocation Loc, SourceRange, ConditionValueKind) override {
    checkCondition(Loc);
  }
  void Elif(SourceLocation Loc, SourceRange, ConditionValueKind,
            SourceLocation) override {
    checkCondition(Loc);
  }
  void Ifdef(SourceLocation Loc, const Token &Name,
             const MacroDefinition &) override {
    check(Loc, Name.getIdentifierInfo(), /*IsGuard=*/false);
  }
  void Ifndef(SourceLocation Loc, const Token &Name,
              const MacroDefinition &) override {
    check(Loc, Name.getIdentifierInfo(), /*IsGuard=*/true);
  }
  void Elifdef(SourceLocation Loc, const Token &Name,
               const MacroDefinition &) override {
    check(Loc, Name.getIdentifierInfo(), /*IsGuard=*/false);
  }
  void Elifndef(SourceLocation Loc, const Token &Name,
                const MacroDefinition &) override {
    check(Loc, Name.getIdentifierInfo(), /*IsGuard=*/false);
  }

  void EndOfMainFile() override {
    // A header's guard is known once the header has ended.
    for (const auto &[Name, File] : Guards) {
      const HeaderFileInfo *Info =
          PP.getHeaderSearchInfo().getExistingFileInfo(File);
      HeaderFileInfo Copy = Info ? *Info : HeaderFileInfo();
      if (!Info || Copy.getControllingMacro(
                       PP.getHeaderSearchInfo().getExternalLookup()) != Name)
        Unknown = Name->getName().str();
    }
  }

private:
  bool isOwn(SourceLocation Loc) const {
    return !PP.getSourceManager().isInSystemHeader(Loc) &&
           PP.getSourceManager()
               .getFileEntryRefForID(PP.getSourceManager().getFileID(Loc))
               .has_value();
  }

  /// \param[in] Loc  The directive's name.
  void checkCondition(SourceLocation Loc) {
    if (!isOwn(Loc))
      return;
    const SourceManager &SM = PP.getSourceManager();
    const FileID File = SM.getFileID(Loc);
    const llvm::StringRef Text = SM.getBufferData(File);
    Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(),
              Text.begin() + SM.getFileOffset(Loc), Text.end());
    Raw.setParsingPreprocessorDirective(true);
    Token Next;
    Raw.LexFromRawLexer(Next);
    for (;;) {
      Raw.LexFromRawLexer(Next);
      if (Next.isOneOf(tok::eod, tok::eof))
        return;
      if (Next.is(tok::raw_identifier) && Next.getRawIdentifier() != "defined")
        check(Loc, PP.getIdentifierInfo(Next.getRawIdentifier()),
              /*IsGuard=*/false);
    }
  }

  void check(SourceLocation Loc, const IdentifierInfo *Name, bool IsGuard) {
    if (!Name || !isOwn(Loc))
      return;
    const SourceManager &SM = PP.getSourceManager();
    if (const MacroInfo *Info =
            PP.getMacroInfo(const_cast<IdentifierInfo *>(Name))) {
      // What source defines isn't the command's, nor is what the target or the
      // language defines.
      if (SM.getFileEntryRefForID(SM.getFileID(Info->getDefinitionLoc())) ||
          isOfTarget(Name->getName()))
        return;
    } else if (isOfTarget(Name->getName())) {
      return;
    } else if (OptionalFileEntryRef File =
                   SM.getFileEntryRefForID(SM.getFileID(Loc));
               IsGuard && File) {
      Guards.emplace_back(Name, *File);
      return;
    }
    Unknown = Name->getName().str();
  }

  /// Names that say for which target, and in which language, this is.
  static bool isOfTarget(llvm::StringRef Name) {
    return Name.starts_with("__HIP") || Name.starts_with("__AMD") ||
           Name.starts_with("__gfx") || Name.starts_with("__CUDA") ||
           Name.starts_with("__has_") || Name == "__NVCC__" ||
           Name == "__linux__" || Name == "_WIN32" || Name == "__clang__" ||
           Name == "true" || Name == "false";
  }

  Preprocessor &PP;
  std::string &Unknown;
  std::vector<std::pair<const IdentifierInfo *, FileEntryRef>> Guards;
};
} // namespace

std::unique_ptr<PPCallbacks>
wavelane::source::makeMacroWatch(Preprocessor &PP, std::string &Unknown) {
  return std::make_unique<MacroWatch>(PP, Unknown);
}
