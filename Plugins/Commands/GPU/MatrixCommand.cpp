//===-- MatrixCommand.cpp - gpu matrix ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/MachineCode/LoadedCode.h"
#include "GPUCommands.h"
#include "MatrixLayout.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_matrix_options[] = {
    Switch("json", 'j', "Print JSON."),
};

/// The matrix instruction that a wave is at, or has just executed.
std::optional<MatrixInstruction> FindInstruction(ThreadAMDGPU &wave,
                                                 bool &is_done) {
  ProcessSP process_sp = wave.GetProcess();
  auto *process = dynamic_cast<ProcessAMDGPU *>(process_sp.get());
  RegisterContextSP context_sp = wave.GetRegisterContext();
  if (!process || !context_sp)
    return std::nullopt;
  const addr_t pc = context_sp->GetPC();
  std::shared_ptr<AMDGPUMachineCode> code =
      GetMachineCodeAt(process->GetTarget(), pc);
  constexpr uint64_t Size = 8;
  for (addr_t address : {pc, pc - Size}) {
    uint8_t bytes[Size];
    Status error;
    Address place;
    if (!code || !process->GetTarget().ResolveLoadAddress(address, place) ||
        process->GetTarget().ReadMemory(place, bytes, Size, error) != Size)
      continue;
    auto instruction = code->Decode(bytes, address);
    if (!instruction || instruction->size != Size)
      continue;
    is_done = address != pc;
    if (auto matrix =
            MatrixInstruction::Parse(code->Print(instruction->inst, address)))
      return matrix;
  }
  return std::nullopt;
}

/// The words of a run of registers, ordered by register, then lane.
bool ReadRun(ThreadAMDGPU &wave, const RegisterRun &run,
             std::vector<uint32_t> &words) {
  constexpr unsigned Lanes = 64;
  RegisterContextSP context_sp = wave.GetRegisterContext();
  for (unsigned i = 0; context_sp && i < run.count; ++i) {
    const RegisterInfo *info = wave.FindRegister(
        llvm::formatv("{0}{1}", run.file, run.first + i).str());
    RegisterValue value;
    if (!info || !context_sp->ReadRegister(info, value) ||
        value.GetByteSize() != Lanes * 4)
      return false;
    const auto *bytes = static_cast<const uint8_t *>(value.GetBytes());
    for (unsigned lane = 0; lane < Lanes; ++lane)
      words.push_back(llvm::support::endian::read32le(bytes + 4 * lane));
  }
  return words.size() == run.count * Lanes;
}

double GetNumber(MatrixInstruction::Type type, uint32_t word, unsigned byte) {
  const uint32_t bits = word >> 8 * byte;
  switch (type) {
  case MatrixInstruction::I8:
    return int8_t(bits);
  case MatrixInstruction::I32:
    return int32_t(bits);
  case MatrixInstruction::F16:
    return llvm::APFloat(llvm::APFloat::IEEEhalf(),
                         llvm::APInt(16, bits & 0xffff))
        .convertToFloat();
  case MatrixInstruction::BF16:
    return llvm::APFloat(llvm::APFloat::BFloat(),
                         llvm::APInt(16, bits & 0xffff))
        .convertToFloat();
  case MatrixInstruction::F32:
    return llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits))
        .convertToFloat();
  }
  return 0;
}

class MatrixCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit MatrixCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "gpu matrix",
            "Show a matrix of the matrix instruction that the wave is at.",
            "gpu matrix <a|b|c|d> [--json]",
            eCommandRequiresThread | eCommandTryTargetAPILock |
                eCommandProcessMustBeLaunched | eCommandProcessMustBePaused),
        m_options(g_matrix_options) {
    AddSimpleArgumentList(eArgTypeName);
    SetHelpLong(R"(
Matrix instructions (v_mfma_...) compute D = A * B + C on matrices that are
spread over the registers of all lanes. This command shows one of them as rows
and columns, for the instruction that the wave is at or has just executed:
step over it with `stepi` to see D. For instructions on several blocks, it
shows a matrix for each block.

Examples:

(lldb) gpu matrix a
(lldb) gpu matrix d --json
)");
  }
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    if (request.GetCursorIndex() == 0)
      for (const char *name : {"a", "b", "c", "d"})
        request.TryCompleteCurrentArg(name);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    const llvm::StringRef which =
        command.GetArgumentCount() == 1 ? command[0].ref() : "";
    if (which.size() != 1 || !llvm::StringRef("abcd").contains(which)) {
      result.AppendError(
          "a matrix is required: a, b, c or d, of D = A * B + C");
      return;
    }
    auto *wave = dynamic_cast<ThreadAMDGPU *>(m_exe_ctx.GetThreadPtr());
    if (!wave) {
      result.AppendError(
          "the selected thread isn't a wave: `gpu wave list` shows "
          "the waves, `target select` selects the GPU's target");
      return;
    }
    bool is_done = false;
    std::optional<MatrixInstruction> found = FindInstruction(*wave, is_done);
    if (!found) {
      result.AppendError("the wave is not at a matrix instruction with a known "
                         "layout (v_mfma_f32_*, v_mfma_i32_*), and has not "
                         "just executed one: `disassemble --pc` shows where it "
                         "is, `stepi` executes an instruction");
      return;
    }
    const bool is_result = which == "c" || which == "d";
    const std::optional<RegisterRun> &run = which == "a"   ? found->a
                                            : which == "b" ? found->b
                                            : which == "c" ? found->c
                                                           : found->d;
    if (!run) {
      result.AppendErrorWithFormat("%s is a constant of '%s'\n",
                                   which.upper().c_str(), found->name.c_str());
      return;
    }
    std::vector<uint32_t> words;
    if (!ReadRun(*wave, *run, words)) {
      result.AppendErrorWithFormat("the registers of %s can't be read\n",
                                   which.upper().c_str());
      return;
    }
    const unsigned rows = which == "b" ? found->depth : found->rows;
    const unsigned columns = which == "a" ? found->depth : found->rows;
    auto element = [&](unsigned block, unsigned row, unsigned column) {
      const MatrixInstruction::Place place =
          is_result      ? found->FindResult(block, row, column)
          : which == "a" ? found->FindSource(*run, block, row, column)
                         : found->FindSource(*run, block, column, row);
      return GetNumber(is_result ? found->result : found->source,
                       words[place.reg * 64 + place.lane], place.byte);
    };
    StreamString text;
    llvm::json::Array blocks;
    text.Printf(
        "%s of %s%s, %s\n", which.upper().c_str(), found->name.c_str(),
        is_done ? ", executed" : "",
        run->count == 1
            ? llvm::formatv("{0}{1}", run->file, run->first).str().c_str()
            : llvm::formatv("{0}[{1}:{2}]", run->file, run->first,
                            run->first + run->count - 1)
                  .str()
                  .c_str());
    for (unsigned block = 0; block < found->blocks; ++block) {
      if (found->blocks > 1)
        text.Printf("block %u\n", block);
      llvm::json::Array lines;
      for (unsigned row = 0; row < rows; ++row) {
        llvm::json::Array line;
        for (unsigned column = 0; column < columns; ++column) {
          const double value = element(block, row, column);
          line.push_back(value);
          text.Printf("%s%g", column ? " " : "", value);
        }
        text.EOL();
        lines.push_back(std::move(line));
      }
      blocks.push_back(std::move(lines));
    }
    if (m_options.Has('j'))
      AppendJSON(result, llvm::json::Object{{"instruction", found->name},
                                            {"matrix", which.str()},
                                            {"done", is_done},
                                            {"blocks", std::move(blocks)}});
    else
      result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeMatrixCommand(CommandInterpreter &interpreter) {
  return std::make_shared<MatrixCommand>(interpreter);
}
