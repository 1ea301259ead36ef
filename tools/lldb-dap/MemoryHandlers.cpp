//===-- MemoryHandlers.cpp - Memory and code of every target --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionHandler.h"
#include "lldb/API/SBInstruction.h"
#include "lldb/API/SBInstructionList.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// The targets that may have memory at an address, first the one that the
/// client shows.
std::vector<lldb::SBTarget> GetTargetsOfMemory(Session &session) {
  std::vector<lldb::SBTarget> targets = {session.targets.GetSelected()};
  for (lldb::SBTarget &target : session.targets.GetAll())
    if (target != targets.front())
      targets.push_back(target);
  return targets;
}

class ReadMemoryHandler final
    : public SessionHandler<ReadMemoryRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    const uint64_t max_count = 16 << 20;
    if (arguments.count > max_count)
      return llvm::make_error<DAPError>("A request can read 16 MiB at most.");
    for (lldb::SBTarget target : GetTargetsOfMemory(session)) {
      Response body = RunStock(arguments, target);
      if (body && !body->data.empty())
        session.AddReadMemory(arguments);
      if (!body || !body->data.empty())
        return body;
    }
    return RunStock(arguments);
  }
};

class WriteMemoryHandler final
    : public SessionHandler<WriteMemoryRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    llvm::Error first = llvm::Error::success();
    for (lldb::SBTarget target : GetTargetsOfMemory(session)) {
      Response body = Write(arguments, target);
      if (body) {
        llvm::consumeError(std::move(first));
        return body;
      }
      if (first)
        llvm::consumeError(body.takeError());
      else
        first = body.takeError();
    }
    return first;
  }

private:
  Response Write(const Arguments &arguments, lldb::SBTarget target) const {
    if (target == session.target || arguments.allowPartial)
      return RunStock(arguments, target);
    // LLDB asks whether the region is writable. A lane's private memory isn't
    // in a region: only the number of written bytes counts.
    Arguments unasked = arguments;
    unasked.allowPartial = true;
    Response body = RunStock(unasked, target);
    std::vector<char> bytes;
    if (body && !llvm::errorToBool(llvm::decodeBase64(arguments.data, bytes)) &&
        body->bytesWritten < bytes.size())
      return llvm::make_error<DAPError>(
          llvm::formatv("Only {0} of {1} bytes were written.",
                        body->bytesWritten, bytes.size()));
    return body;
  }
};

/// LLDB reads as many bytes as that number of the longest instructions has, and
/// fails if memory ends before. Here fewer are asked for, and then the rest.
class DisassembleHandler final
    : public SessionHandler<DisassembleRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    const int64_t max_count = 100000;
    const int64_t count =
        std::min<int64_t>(arguments.instructionCount, max_count);
    const int64_t offset =
        std::clamp(arguments.instructionOffset, -max_count, max_count);
    const lldb::addr_t address = arguments.memoryReference + arguments.offset;
    lldb::SBTarget target = session.targets.GetAt(address);
    Arguments from = arguments;
    from.offset = from.instructionOffset = 0;
    from.memoryReference = address;
    int64_t missing = 0;
    if (offset < 0) {
      const std::vector<lldb::addr_t> before = GetBefore(address, target);
      missing = std::max<int64_t>(0, -offset - int64_t(before.size()));
      if (missing < -offset)
        from.memoryReference = before[before.size() + offset + missing];
    }
    missing = std::min(missing, count);
    const int64_t skipped = std::max<int64_t>(0, offset);
    Response body = Read(from, count - missing + skipped, target);
    if (!body)
      return body;
    std::vector<Instruction> &read = body->instructions;
    read.erase(read.begin(),
               read.begin() + std::min<int64_t>(skipped, read.size()));
    Instruction invalid;
    invalid.address = LLDB_INVALID_ADDRESS;
    invalid.presentationHint =
        Instruction::eDisassembledInstructionPresentationHintInvalid;
    read.insert(read.begin(), missing, invalid);
    read.resize(count, invalid);
    return body;
  }

private:
  using Instruction = protocol::DisassembledInstruction;

  /// The instructions between the beginning of the function and \p address:
  /// their sizes differ.
  static std::vector<lldb::addr_t> GetBefore(lldb::addr_t address,
                                             lldb::SBTarget target) {
    lldb::SBAddress end(address, target);
    lldb::SBInstructionList list = target.ReadInstructions(
        end.GetSymbol().GetStartAddress(), end, /*flavor_string=*/nullptr);
    std::vector<lldb::addr_t> before;
    for (size_t i = 0; i < list.GetSize(); ++i)
      before.push_back(
          list.GetInstructionAtIndex(i).GetAddress().GetLoadAddress(target));
    return before;
  }

  Response Read(Arguments from, int64_t count, lldb::SBTarget target) const {
    protocol::DisassembleResponseBody all;
    from.instructionCount = count;
    while (int64_t(all.instructions.size()) < count) {
      from.instructionCount = std::min<int64_t>(
          from.instructionCount, count - all.instructions.size());
      Response body = RunStock(from, target);
      if (!body && from.instructionCount > 1) {
        llvm::consumeError(body.takeError());
        from.instructionCount /= 2;
        continue;
      }
      if (!body && all.instructions.empty())
        return body;
      if (!body) {
        llvm::consumeError(body.takeError());
        break;
      }
      for (const Instruction &instruction : body->instructions) {
        // "bf 8c 01 7f"
        const size_t size =
            (instruction.instructionBytes.value_or("").size() + 1) / 3;
        if (size == 0)
          return all;
        from.memoryReference = instruction.address + size;
        all.instructions.push_back(instruction);
      }
    }
    return all;
  }
};

class SourceHandler final : public SessionHandler<SourceRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    std::optional<lldb::addr_t> address = session.GetSourceReferenceAddress(
        arguments.source ? arguments.source->sourceReference.value_or(
                               arguments.sourceReference)
                         : arguments.sourceReference);
    if (!address)
      return RunStock(arguments);
    TargetView view(session, session.targets.GetAt(*address));
    Arguments of_target;
    of_target.sourceReference = view.GetDAP().CreateSourceReference(*address);
    return SourceRequestHandler(view.GetDAP()).Run(of_target);
  }
};

class StepInTargetsHandler final
    : public SessionHandler<StepInTargetsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    lldb::SBFrame frame = session.GetLLDBFrame(arguments.frameId);
    if (!frame.IsValid())
      return NoSuchFrame();
    // LLDB recognizes calls only in the host's code.
    if (frame.GetThread().GetProcess().GetTarget() != session.target)
      return protocol::StepInTargetsResponseBody();
    return RunStock(arguments);
  }
};
} // namespace

void lldb_dap::wavelane::RegisterMemoryHandlers(Session &session) {
  session.RegisterRequest<ReadMemoryHandler>();
  session.RegisterRequest<WriteMemoryHandler>();
  session.RegisterRequest<DisassembleHandler>();
  session.RegisterRequest<SourceHandler>();
  session.RegisterRequest<StepInTargetsHandler>();
}
