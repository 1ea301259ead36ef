//===-- Parser.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Parser.h"
#include "MacroWatch.h"
#include "RegularFiles.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace clang;
using namespace wavelane::source;
using Taker = llvm::function_ref<void(ASTContext &)>;

namespace {

/// Keeps the first error.
class FirstError : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Error || !Text.empty())
      return;
    llvm::SmallString<128> Message;
    Info.FormatDiagnostic(Message);
    Text = Message.str();
    if (Info.getID() == diag::err_pp_file_not_found)
      Code = std::make_error_code(std::errc::no_such_file_or_directory);
    if (!Info.hasSourceManager())
      return;
    const PresumedLoc Place =
        Info.getSourceManager().getPresumedLoc(Info.getLocation());
    if (Place.isValid())
      Text = (llvm::Twine(Place.getFilename()) + ":" +
              llvm::Twine(Place.getLine()) + ": " + Text)
                 .str();
  }

  std::string Text;
  std::error_code Code = llvm::inconvertibleErrorCode();
};

/// Gives the syntax tree away when clang has parsed the file.
class Consumer : public ASTConsumer {
public:
  Consumer(const Request &From, Question What, Taker Take, std::string &Problem)
      : From(From), What(What), Take(Take), Problem(Problem) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    if ((What != Question::Text &&
         Context.getDiagnostics().hasErrorOccurred()) ||
        !Problem.empty())
      return;
    const SourceManager &SM = Context.getSourceManager();
    for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It) {
      const auto Buffer = It->second->getBufferIfLoaded();
      const FileID File = SM.translateFile(It->first);
      if (!Buffer || File.isInvalid() ||
          SM.isInSystemHeader(SM.getLocForStartOfFile(File)))
        continue;
      llvm::SmallString<256> Path(It->first.getName());
      SM.getFileManager().makeAbsolutePath(Path);
      if (!From.IsAsCompiled(Path, Buffer->getBuffer())) {
        Problem = (Path + " has changed since the program was compiled").str();
        return;
      }
    }
    Take(Context);
  }

  /// What system headers do isn't asked for, and takes half of the time.
  bool shouldSkipFunctionBody(Decl *D) override {
    return D->getASTContext().getSourceManager().isInSystemHeader(
        D->getLocation());
  }

private:
  const Request &From;
  const Question What;
  Taker Take;
  std::string &Problem;
};

class Action : public ASTFrontendAction {
public:
  Action(const Request &From, Question What, Taker Take)
      : From(From), What(What), Take(Take) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    if (What == Question::Meaning && !From.How.IsKnown)
      Compiler.getPreprocessor().addPPCallbacks(
          makeMacroWatch(Compiler.getPreprocessor(), Macro));
    return std::make_unique<Consumer>(From, What, Take, Problem);
  }

  void EndSourceFileAction() override {
    if (Problem.empty() && !Macro.empty())
      Problem = "its meaning depends on the macro " + Macro +
                ", and how the program was compiled isn't recorded: compile "
                "with -grecord-command-line";
  }

  std::string Problem;

private:
  const Request &From;
  const Question What;
  Taker Take;
  std::string Macro;
};

} // namespace

/// Nothing is written, and nothing is loaded.
static void makeHarmless(CompilerInvocation &Invocation) {
  FrontendOptions &Frontend = Invocation.getFrontendOpts();
  Frontend.OutputFile.clear();
  Frontend.Plugins.clear();
  Frontend.AddPluginActions.clear();
  Frontend.PluginArgs.clear();
  Frontend.LLVMArgs.clear();
  Frontend.StatsFile.clear();
  Frontend.TimeTracePath.clear();
  Frontend.ProgramAction = frontend::ParseSyntaxOnly;
  Frontend.SkipFunctionBodies = true;
  Frontend.DisableFree = false;
  Invocation.getDependencyOutputOpts() = DependencyOutputOptions();
  Invocation.getDiagnosticOpts().DiagnosticLogFile.clear();
  Invocation.getDiagnosticOpts().DiagnosticSerializationFile.clear();
  Invocation.getDiagnosticOpts().IgnoreWarnings = true;
  // With these, clang prints how many errors there are.
  Invocation.getDiagnosticOpts().ShowCarets = false;
}

static llvm::Error parseHere(const Request &From, Question What, Taker Take) {
  llvm::Expected<std::vector<std::string>> Words = makeParseCommand(
      From.How, From.File, From.GPU, From.LaneCount, From.ResourceFolder);
  if (!Words)
    return Words.takeError();
  std::vector<const char *> Arguments;
  for (const std::string &Word : *Words)
    Arguments.push_back(Word.c_str());
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files = makeRegularFiles();
  // Without its folder, relative names lead nowhere: not to the debugger's.
  if (Files->setCurrentWorkingDirectory(From.How.Folder))
    Files->setCurrentWorkingDirectory("/");
  FirstError Errors;
  DiagnosticOptions Options;
  CreateInvocationOptions Create;
  Create.VFS = Files;
  Create.Diags = llvm::makeIntrusiveRefCnt<DiagnosticsEngine>(
      DiagnosticIDs::create(), Options, &Errors, /*ShouldOwnClient=*/false);
  std::shared_ptr<CompilerInvocation> Invocation =
      createInvocation(Arguments, std::move(Create));
  if (!Invocation)
    return llvm::createStringError(
        Errors.Text.empty() ? "clang doesn't take its command" : Errors.Text);
  makeHarmless(*Invocation);
  CompilerInstance Compiler(std::move(Invocation));
  Compiler.setVirtualFileSystem(Files);
  Compiler.createDiagnostics(&Errors, /*ShouldOwnClient=*/false);
  Compiler.createFileManager();
  Compiler.createSourceManager();
  Action Act(From, What, Take);
  const bool Done = Compiler.ExecuteAction(Act);
  if (What != Question::Text && (!Errors.Text.empty() || !Done))
    return llvm::createStringError(
        Errors.Code, llvm::Twine(Errors.Text.empty() ? "clang can't parse it"
                                                     : Errors.Text));
  if (!Act.Problem.empty())
    return llvm::createStringError(Act.Problem);
  return llvm::Error::success();
}

llvm::Error wavelane::source::parse(const Request &From, Question What,
                                    Taker Take) {
  constexpr unsigned Stack = 32u << 20; // as for clang's own parser
  llvm::Error Problem = llvm::Error::success();
  llvm::CrashRecoveryContext Thread;
  const bool Returned = Thread.RunSafelyOnThread(
      [&] {
        llvm::Error Found = parseHere(From, What, Take);
        llvm::consumeError(std::move(Problem));
        Problem = std::move(Found);
      },
      Stack);
  if (Problem)
    return Problem;
  if (!Returned)
    return llvm::createStringError("clang can't parse it");
  return llvm::Error::success();
}
