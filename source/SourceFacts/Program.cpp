//===-- Program.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/SourceFacts/Program.h"
#include "FunctionReader.h"
#include "Parser.h"

using namespace wavelane::source;

llvm::Expected<std::unique_ptr<Program>> Program::read(const Request &From,
                                                       bool IsLikely) {
  auto Result = std::make_unique<Program>();
  const Question What = IsLikely ? Question::LikelyMeaning : Question::Meaning;
  if (llvm::Error Problem = parse(From, What, [&](clang::ASTContext &Context) {
        Reader(Context, Result->Tables).read();
      }))
    return std::move(Problem);
  return Result;
}

const Function *Program::find(llvm::StringRef Name) const {
  auto Found = Tables.Functions.find(Name);
  return Found == Tables.Functions.end() ? nullptr : &Found->second;
}
