//===-- SourceValues.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceValues.h"
#include "Builtins.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/LaneSource.h"
#include "Core/Support/CodeObjectModule.h"
#include "Core/Support/Processor.h"
#include "LaneSymbols.h"
#include "Plugins/ExpressionParser/Clang/ClangHost.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "lldb/Core/Progress.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "lldb/ValueObject/ValueObjectVariable.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Formats/Files/SourceFile.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace source = ::wavelane::source;

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

/// The file of a unit's program; empty if it is of none.
static std::string GetProgramPath(CompileUnit &unit) {
  const ModuleSP module_sp = unit.GetModule();
  if (!module_sp)
    return std::string();
  const auto *module = dynamic_cast<CodeObjectModule *>(module_sp.get());
  return (module ? module->GetFile() : module_sp->GetFileSpec()).GetPath();
}

std::string SourceValues::FindFile(CompileUnit &unit, const FileSpec &file) {
  return ::wavelane::files::findSource(file.GetPath(), GetProgramPath(unit));
}

/// Whether a file is what was compiled: it has the checksum in the line table,
/// or, since clang writes none for HIP, isn't newer than the code.
static bool IsAsCompiled(CompileUnit &unit, const FileSpec &file,
                         llvm::StringRef text) {
  const SupportFileList &files = unit.GetSupportFiles();
  Checksum checksum;
  for (size_t i = 0; i < files.GetSize(); ++i)
    if (const FileSpec &known = files.GetFileSpecAtIndex(i);
        known.GetFilename() == file.GetFilename() &&
        FileSpec(SourceValues::FindFile(unit, known)) == file)
      checksum = files.GetSupportFileAtIndex(i)->GetChecksum();
  if (checksum)
    return Checksum(llvm::MD5::hash(llvm::arrayRefFromStringRef(text))) ==
           checksum;
  const ModuleSP module_sp = unit.GetModule();
  auto *module = dynamic_cast<CodeObjectModule *>(module_sp.get());
  const llvm::sys::TimePoint<> compiled = module ? module->GetTime()
                                          : module_sp
                                              ? module_sp->GetModificationTime()
                                              : llvm::sys::TimePoint<>();
  const llvm::sys::TimePoint<> written =
      FileSystem::Instance().GetModificationTime(file);
  return compiled != llvm::sys::TimePoint<>() &&
         written != llvm::sys::TimePoint<>() && written <= compiled;
}

static llvm::StringRef GetString(DWARFUnit &unit,
                                 llvm::dwarf::Attribute attribute) {
  const char *text =
      unit.DIE().GetAttributeValueAsString(attribute, /*fail_value=*/nullptr);
  return text ? text : "";
}

/// A command for a unit without a record of its own: clang's usual one, with
/// the ROCm whose headers the unit has.
static source::Command GuessCommand(CompileUnit &unit, llvm::StringRef folder) {
  std::string root = "/opt/rocm";
  bool uses_hip = false;
  const SupportFileList &files = unit.GetSupportFiles();
  for (size_t i = 0; i < files.GetSize(); ++i) {
    const std::string path = files.GetFileSpecAtIndex(i).GetPath();
    const auto [before, after] = llvm::StringRef(path).split("/include/hip/");
    if (after.empty())
      continue;
    root = before.str();
    uses_hip = true;
    break;
  }
  source::Command command;
  command.Words = {"/usr/bin/clang++", "--rocm-path=" + root};
  if (uses_hip)
    command.Words.insert(command.Words.end(), {"-x", "hip"});
  command.Folder = folder.str();
  return command;
}

/// Adds the folders of a unit's own files, those above them and their folders
/// `include`: an option may have named any of them.
static void AddIncludeFolders(CompileUnit &unit, source::Command &command) {
  std::vector<std::string> folders;
  auto add = [&](llvm::StringRef folder) {
    if (!llvm::is_contained(folders, folder))
      folders.push_back(folder.str());
  };
  const SupportFileList &files = unit.GetSupportFiles();
  for (size_t i = 0; i < files.GetSize(); ++i) {
    const std::string path =
        SourceValues::FindFile(unit, files.GetFileSpecAtIndex(i));
    // Clang knows where the system's and HIP's are.
    if (llvm::StringRef(path).starts_with("/usr/include/") ||
        llvm::StringRef(path).starts_with("/usr/lib/") ||
        llvm::StringRef(path).contains("/include/hip/"))
      continue;
    for (llvm::StringRef folder = llvm::sys::path::parent_path(path);
         folder.size() > 1; folder = llvm::sys::path::parent_path(folder))
      add(folder);
  }
  for (size_t i = 0, count = folders.size(); i < count; ++i)
    add(folders[i] + "/include");
  for (const std::string &folder : folders)
    command.Words.push_back("-I" + folder);
}

/// Whether a unit lists a file among those that it was compiled from. It leaves
/// out those that only define macros.
enum class Listed { Same, OtherOfItsName, Nowhere };

static Listed FindListed(CompileUnit &unit, const FileSpec &file) {
  const SupportFileList &files = unit.GetSupportFiles();
  Listed result = Listed::Nowhere;
  for (size_t i = 0; i < files.GetSize(); ++i)
    if (const FileSpec &known = files.GetFileSpecAtIndex(i);
        known.GetFilename() == file.GetFilename()) {
      if (FileSpec(SourceValues::FindFile(unit, known)) == file)
        return Listed::Same;
      result = Listed::OtherOfItsName;
    }
  return result;
}

/// Clang's own headers. They are beside LLDB's library; LLDB looks for them in
/// a folder of clang's version there. \return "" if there are none: clang would
/// look for `include` in any folder.
static std::string FindClangHeaders() {
  FileSpec folder = HostInfo::GetShlibDir();
  folder.AppendPathComponent("clang");
  FileSpec headers = folder;
  headers.AppendPathComponent("include");
  return FileSystem::Instance().IsDirectory(headers)
             ? folder.GetPath()
             : GetClangResourceDir().GetPath();
}

source::Request SourceValues::MakeRequest(CompileUnit &comp_unit,
                                          DWARFUnit &unit) {
  const llvm::StringRef gpu = GetProcessorName(
      m_symbols.GetObjectFile()->GetModule()->GetArchitecture());
  source::Request request;
  const FileSpec &primary = comp_unit.GetPrimaryFile();
  request.File = FindFile(comp_unit, primary);
  if (const ::wavelane::gpu::Processor *processor =
          ::wavelane::gpu::findByName({gpu.data(), gpu.size()})) {
    request.GPU = gpu.str();
    request.LaneCount = processor->family().defaultLanes();
  }
  request.ResourceFolder = FindClangHeaders();
  request.IsAsCompiled = [&comp_unit](llvm::StringRef path,
                                      llvm::StringRef text) {
    return IsAsCompiled(comp_unit, FileSpec(path), text);
  };
  llvm::SmallString<256> folder(GetString(unit, llvm::dwarf::DW_AT_comp_dir));
  if (!llvm::sys::path::is_absolute(folder))
    if (const std::string found = ::wavelane::files::findSourceFolder(
            primary.GetPath(), GetProgramPath(comp_unit));
        !found.empty())
      llvm::sys::path::make_absolute(found, folder);
  if (auto words = source::findRecordedCommand(
          GetString(unit, llvm::dwarf::DW_AT_producer)))
    request.How = {std::move(*words), folder.str().str(), /*IsKnown=*/true};
  else if (auto found = source::findInDatabase(request.File, folder))
    request.How = std::move(*found);
  else
    request.How = GuessCommand(comp_unit, folder);
  return request;
}

llvm::Expected<std::unique_ptr<source::Program>>
SourceValues::ReadProgram(DWARFUnit &unit, bool is_likely) {
  auto *compile_unit = llvm::dyn_cast<DWARFCompileUnit>(&unit);
  CompileUnit *comp_unit =
      compile_unit ? m_symbols.GetCompUnitForDWARFCompUnit(*compile_unit)
                   : nullptr;
  if (!comp_unit)
    return llvm::createStringError("no unit of code");
  const source::Request request = MakeRequest(*comp_unit, unit);
  if (request.GPU.empty())
    return llvm::createStringError("no GPU's unit");
  if (request.ResourceFolder.empty())
    return llvm::createStringError("clang's own headers aren't installed");
  Progress progress("Reading the source of", request.File);
  auto read = source::Program::read(request, is_likely);
  if (read || request.How.IsKnown)
    return read;
  bool lacks_header = false;
  llvm::Error error = llvm::handleErrors(
      read.takeError(), [&](std::unique_ptr<llvm::StringError> found) {
        lacks_header =
            found->convertToErrorCode() == std::errc::no_such_file_or_directory;
        return llvm::Error(std::move(found));
      });
  if (!lacks_header)
    return std::move(error);
  // The folders that the compiler's options named aren't known.
  source::Request again = request;
  AddIncludeFolders(*comp_unit, again.How);
  again.IsAsCompiled = [comp_unit, is_likely](llvm::StringRef path,
                                              llvm::StringRef text) {
    const FileSpec file(path);
    const Listed listed = FindListed(*comp_unit, file);
    return (listed == Listed::Same ||
            (is_likely && listed == Listed::Nowhere)) &&
           IsAsCompiled(*comp_unit, file, text);
  };
  llvm::consumeError(std::move(error));
  return source::Program::read(again, is_likely);
}

const source::Program *SourceValues::GetProgram(DWARFUnit &unit) {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto known = m_programs.find(&unit);
    if (known != m_programs.end())
      return known->second.get();
  }
  // Read without the lock, because it takes the module's lock.
  llvm::Expected<std::unique_ptr<source::Program>> read =
      ReadProgram(unit, /*is_likely=*/false);
  std::unique_ptr<source::Program> program;
  if (read)
    program = std::move(*read);
  else
    LLDB_LOG_ERROR(GetLog(LLDBLog::Symbols), read.takeError(),
                   "The source of {1} says nothing: {0}",
                   GetString(unit, llvm::dwarf::DW_AT_name));
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_programs.emplace(&unit, std::move(program)).first->second.get();
}

const source::Program *SourceValues::GetLikelyProgram(DWARFUnit &unit) {
  if (const source::Program *program = GetProgram(unit))
    return program;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto known = m_likely_programs.find(&unit);
    if (known != m_likely_programs.end())
      return known->second.get();
  }
  llvm::Expected<std::unique_ptr<source::Program>> read =
      ReadProgram(unit, /*is_likely=*/true);
  std::unique_ptr<source::Program> program;
  if (read)
    program = std::move(*read);
  else
    LLDB_LOG_ERROR(GetLog(LLDBLog::Symbols), read.takeError(),
                   "The source of {1} doesn't warn of values either: {0}",
                   GetString(unit, llvm::dwarf::DW_AT_name));
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_likely_programs.emplace(&unit, std::move(program))
      .first->second.get();
}

const source::Regions *SourceValues::GetRegions(CompileUnit &comp_unit,
                                                DWARFUnit &unit) {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto known = m_regions.find(&unit);
    if (known != m_regions.end())
      return known->second.get();
  }
  const source::Request request = MakeRequest(comp_unit, unit);
  Progress progress("Reading the source of", request.File);
  using Read = llvm::Expected<std::unique_ptr<source::Regions>>;
  Read read = request.ResourceFolder.empty()
                  ? Read(llvm::createStringError(
                        "clang's own headers aren't installed"))
                  : source::Regions::read(request);
  std::unique_ptr<source::Regions> regions;
  if (read)
    regions = std::move(*read);
  else
    LLDB_LOG_ERROR(GetLog(LLDBLog::Symbols), read.takeError(),
                   "The regions of {1} aren't known: {0}", request.File);
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_regions.emplace(&unit, std::move(regions)).first->second.get();
}

std::optional<std::string>
SourceValues::CompareLines(CompileUnit &comp_unit, DWARFUnit &unit,
                           const FileSpec &file, uint32_t from, uint32_t to) {
  const source::Regions *regions = GetRegions(comp_unit, unit);
  return regions ? regions->compare(FindFile(comp_unit, file), from, to)
                 : std::nullopt;
}

bool SourceValues::IsDueInRound(CompileUnit &comp_unit, DWARFUnit &unit,
                                const FileSpec &file, uint32_t from,
                                uint32_t to) {
  const source::Regions *regions = GetRegions(comp_unit, unit);
  return regions && regions->isDueInRound(FindFile(comp_unit, file), from, to);
}

/// The definition of a function, or of a variable, that a DIE is a copy of.
static DWARFDIE GetOrigin(DWARFDIE die) {
  if (DWARFDIE origin =
          die.GetReferencedDIE(llvm::dwarf::DW_AT_abstract_origin))
    return origin;
  return die;
}

/// The function that a DIE is in, or is.
static DWARFDIE GetFunction(DWARFDIE die) {
  constexpr unsigned most = 256; // blocks within each other
  for (unsigned depth = 0; die && depth < most; ++depth) {
    if (die.Tag() == llvm::dwarf::DW_TAG_subprogram ||
        die.Tag() == llvm::dwarf::DW_TAG_inlined_subroutine)
      return GetOrigin(die);
    die = die.GetParent();
  }
  return DWARFDIE();
}

/// A function's name as the linker knows it.
static llvm::StringRef GetLinkName(const DWARFDIE &function) {
  const char *name = function.GetMangledName();
  return name ? name : "";
}

const source::Function *SourceValues::FindFunction(DWARFDIE die) {
  const DWARFDIE function = GetFunction(die);
  const source::Program *program =
      function ? GetProgram(*function.GetCU()) : nullptr;
  return program ? program->find(GetLinkName(function)) : nullptr;
}

bool SourceValues::Mentions(CompileUnit &unit, llvm::StringRef pattern) {
  const llvm::Regex regex(pattern);
  const SupportFileList &files = unit.GetSupportFiles();
  for (size_t i = 0; i < files.GetSize(); ++i) {
    const std::string path = FindFile(unit, files.GetFileSpecAtIndex(i));
    if (llvm::StringRef(path).contains("/include/hip/") ||
        !llvm::sys::path::is_absolute(path))
      continue;
    auto buffer = ::wavelane::files::readRegular(path);
    if (buffer && regex.match((*buffer)->getBuffer()))
      return true;
  }
  return false;
}

bool SourceValues::IsShared(const DWARFDIE &variable) {
  auto *unit = llvm::dyn_cast_or_null<DWARFCompileUnit>(
      variable ? variable.GetCU() : nullptr);
  CompileUnit *comp_unit =
      unit ? m_symbols.GetCompUnitForDWARFCompUnit(*unit) : nullptr;
  if (!comp_unit)
    return false;
  auto has_shared = [&] {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      auto known = m_has_shared.find(unit);
      if (known != m_has_shared.end())
        return known->second;
    }
    const bool mentions = Mentions(*comp_unit, "__shared__");
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_has_shared.emplace(unit, mentions).first->second;
  };
  if (!has_shared())
    return false;
  const source::Program *program = GetProgram(*unit);
  const char *name = variable.GetName();
  return program && name &&
         program->isShared(name, unsigned(variable.GetAttributeValueAsUnsigned(
                                     llvm::dwarf::DW_AT_decl_line, 0)));
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static uint64_t GetSize(Variable &variable) {
  Type *type = variable.GetType();
  return type ? llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0)
              : 0;
}

const source::Variable *SourceValues::FindFact(Variable &variable) {
  const DWARFDIE die = GetOrigin(m_symbols.GetDIE(variable.GetID()));
  const source::Function *function = FindFunction(die);
  const source::Variable *fact =
      function ? function->find(variable.GetName().GetStringRef(),
                                variable.GetDeclaration().GetLine())
               : nullptr;
  return fact && fact->Type.Size && fact->Type.Size == GetSize(variable)
             ? fact
             : nullptr;
}

SourceValues::Assigned SourceValues::FindAssigned(Variable &variable) {
  const DWARFDIE die =
      GetFunction(GetOrigin(m_symbols.GetDIE(variable.GetID())));
  const source::Program *program =
      die ? GetLikelyProgram(*die.GetCU()) : nullptr;
  const source::Function *function =
      program ? program->find(GetLinkName(die)) : nullptr;
  const source::AssignedVariable *found =
      function ? function->findAssigned(variable.GetName().GetStringRef(),
                                        variable.GetDeclaration().GetLine())
               : nullptr;
  return found && found->Size == 8 * GetSize(variable)
             ? Assigned{found, function}
             : Assigned();
}

const source::Function *SourceValues::FindPassing(Variable &parameter) {
  const DWARFDIE die =
      GetFunction(GetOrigin(m_symbols.GetDIE(parameter.GetID())));
  const source::Program *program =
      die ? GetLikelyProgram(*die.GetCU()) : nullptr;
  const source::Function *function =
      program ? program->find(GetLinkName(die)) : nullptr;
  const source::Variable *fact =
      function ? function->find(parameter.GetName().GetStringRef(),
                                parameter.GetDeclaration().GetLine())
               : nullptr;
  return fact && fact->IsParameter && !fact->IsWritten ? function : nullptr;
}

/// A member of a built-in variable: "blockIdx.x".
static std::optional<std::vector<uint8_t>>
ReadBuiltinMember(StackFrame &frame, llvm::StringRef name) {
  const auto [object, part] = name.split('.');
  const BuiltinVariable *builtin = FindBuiltin(object);
  const size_t index = part.size() == 1 ? size_t(part[0] - 'x') : 3;
  ProcessSP process_sp = frame.CalculateProcess();
  if (!builtin || index > 2 || !process_sp)
    return std::nullopt;
  llvm::Expected<llvm::SmallVector<uint8_t, 64>> bytes =
      ReadBuiltin(*builtin, FrameFacts(*process_sp, frame.GetThread().get(),
                                       &frame, GetFocusLane(frame)));
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return std::nullopt;
  }
  if (bytes->size() < 4 * (index + 1))
    return std::nullopt;
  return std::vector<uint8_t>(bytes->begin() + 4 * index,
                              bytes->begin() + 4 * (index + 1));
}

/// The variable of a name that is declared at a line, in \a block or around it
/// in the same function.
static VariableSP FindDeclared(Block *block, llvm::StringRef name,
                               unsigned line) {
  for (; block;
       block = block->GetInlinedFunctionInfo() ? nullptr : block->GetParent()) {
    VariableListSP list_sp = block->GetBlockVariableList(/*can_create=*/true);
    for (size_t i = 0; list_sp && i < list_sp->GetSize(); ++i) {
      VariableSP variable_sp = list_sp->GetVariableAtIndex(i);
      if (variable_sp->GetName() == name &&
          variable_sp->GetDeclaration().GetLine() == line)
        return variable_sp;
    }
  }
  return nullptr;
}

SourceValues::Bytes SourceValues::FindVariable(const Scope &scope,
                                               const Expression &leaf) {
  const source::Variable *fact = scope.function.find(leaf.Name, leaf.Line);
  VariableSP found_sp = FindDeclared(scope.block, leaf.Name, leaf.Line);
  // Another value would be that of now.
  if (!fact || fact->IsWritten || !found_sp)
    return std::nullopt;
  ValueObjectSP value_sp = ValueObjectVariable::Create(&scope.frame, found_sp);
  for (const std::string &member : leaf.Members)
    if (value_sp)
      value_sp = value_sp->GetChildMemberWithName(member);
  if (!value_sp)
    return std::nullopt;
  lldb_private::DataExtractor data;
  Status error;
  value_sp->GetData(data, error);
  if (error.Fail() || value_sp->GetError().Fail() ||
      data.GetByteSize() != leaf.Type.Size)
    return std::nullopt;
  return data.GetData().vec();
}

SourceValues::Bytes SourceValues::Find(const Scope &scope,
                                       const Expression &leaf) {
  return leaf.K == Expression::Kind::Builtin
             ? ReadBuiltinMember(scope.frame, leaf.Name)
             : FindVariable(scope, leaf);
}

unsigned SourceValues::GetComingLine(Variable &variable, StackFrame &frame) {
  const source::Variable *fact = FindFact(variable);
  if (!fact || fact->IsWritten || !fact->Initializer)
    return 0;
  const Declaration &declaration = variable.GetDeclaration();
  const LineEntry &at =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  return at.IsValid() && at.GetFile() == declaration.GetFile() &&
                 at.line <= declaration.GetLine()
             ? declaration.GetLine()
             : 0;
}

SourceValues::Bytes SourceValues::Compute(Variable &variable, Block &block,
                                          StackFrame &frame) {
  const source::Variable *fact = FindFact(variable);
  if (!fact || fact->IsWritten || !fact->Initializer ||
      GetComingLine(variable, frame))
    return std::nullopt;
  const source::Function *function =
      FindFunction(m_symbols.GetDIE(variable.GetID()));
  const Scope scope{&block, *function, frame};
  Bytes bytes =
      source::evaluate(*fact->Initializer, [&](const Expression &leaf) {
        return Find(scope, leaf);
      });
  return bytes && bytes->size() == fact->Type.Size ? bytes : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

const source::AssignedVariable *SourceValues::FindProved(Variable &variable) {
  const source::Function *function =
      FindFunction(GetOrigin(m_symbols.GetDIE(variable.GetID())));
  const source::AssignedVariable *found =
      function ? function->findAssigned(variable.GetName().GetStringRef(),
                                        variable.GetDeclaration().GetLine())
               : nullptr;
  return found && found->IsComplete && found->Size == 8 * GetSize(variable)
             ? found
             : nullptr;
}

SourceValues::Bytes
SourceValues::ComputeAssignment(const Scope &scope,
                                const source::AssignedVariable &of,
                                unsigned number, KnownValues &known) {
  const std::optional<Expression> &value = of.Assignments[number].Value;
  auto [at, is_new] = known.try_emplace({&of, number});
  if (!is_new || !value)
    return at->second;
  return at->second =
             source::evaluate(*value, [&](const Expression &leaf) -> Bytes {
               if (!leaf.Assignment)
                 return Find(scope, leaf);
               const source::AssignedVariable *read =
                   scope.function.findAssigned(leaf.Name, leaf.Line);
               return read ? ComputeAssignment(scope, *read, *leaf.Assignment,
                                               known)
                           : std::nullopt;
             });
}

bool SourceValues::MayFind(Variable &variable) {
  if (const source::Variable *fact = FindFact(variable);
      fact && !fact->IsWritten && fact->Initializer)
    return true;
  const source::AssignedVariable *assigned = FindProved(variable);
  return assigned &&
         llvm::any_of(assigned->Assignments, [](const source::Assignment &one) {
           return one.Value.has_value();
         });
}

const source::Expression *SourceValues::FindExpression(Variable &variable,
                                                       const FileSpec &file,
                                                       unsigned line) {
  const Declaration &declaration = variable.GetDeclaration();
  const source::Variable *fact = FindFact(variable);
  if (fact && !fact->IsWritten && fact->Initializer)
    return file == declaration.GetFile() && line <= declaration.GetLine()
               ? nullptr
               : &*fact->Initializer;
  const source::AssignedVariable *assigned =
      file == declaration.GetFile() ? FindProved(variable) : nullptr;
  const std::optional<unsigned> number =
      assigned ? assigned->findOnly(line) : std::nullopt;
  if (!number || !assigned->Assignments[*number].Value)
    return nullptr;
  return &*assigned->Assignments[*number].Value;
}

const source::Expression *SourceValues::FindRead(Variable &variable,
                                                 const Expression &leaf) {
  const source::Function *function =
      FindFunction(m_symbols.GetDIE(variable.GetID()));
  const source::AssignedVariable *read =
      function ? function->findAssigned(leaf.Name, leaf.Line) : nullptr;
  if (!read || !leaf.Assignment || !read->Assignments[*leaf.Assignment].Value)
    return nullptr;
  return &*read->Assignments[*leaf.Assignment].Value;
}

bool SourceValues::IsKept(Variable &variable, const Expression &leaf) {
  const source::Function *function =
      FindFunction(m_symbols.GetDIE(variable.GetID()));
  const source::Variable *fact =
      function ? function->find(leaf.Name, leaf.Line) : nullptr;
  return fact && !fact->IsWritten;
}

std::optional<SourceValues::ProvenValue>
SourceValues::FindValue(Variable &variable, Block &block, StackFrame &frame) {
  if (Bytes bytes = Compute(variable, block, frame))
    return ProvenValue{std::move(*bytes), 0};
  // A lane that waits is elsewhere than the frame's line.
  const ThreadSP thread_sp = frame.GetThread();
  auto *lanes = dynamic_cast<LaneSource *>(thread_sp.get());
  if (lanes) {
    const llvm::BitVector active = lanes->GetActiveLanes();
    const uint32_t lane = GetFocusLane(frame);
    if (lane >= active.size() || !active.test(lane))
      return std::nullopt;
  }
  const source::AssignedVariable *assigned = FindProved(variable);
  const LineEntry &at =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  if (!assigned || !at.IsValid() ||
      at.GetFile() != variable.GetDeclaration().GetFile())
    return std::nullopt;
  const std::optional<unsigned> number = assigned->findOnly(at.line);
  const source::Function *function =
      FindFunction(m_symbols.GetDIE(variable.GetID()));
  if (!number || !function)
    return std::nullopt;
  KnownValues known;
  Bytes bytes =
      ComputeAssignment({&block, *function, frame}, *assigned, *number, known);
  if (!bytes || 8 * bytes->size() != assigned->Size)
    return std::nullopt;
  return ProvenValue{std::move(*bytes),
                     assigned->Assignments[*number].Begin.Line};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
struct CallPlace {
  StackFrameSP caller_sp;
  Block *block = nullptr;
  unsigned line = 0, column = 0;
};
} // namespace

/// Where the function of \a frame was called.
static std::optional<CallPlace> FindCall(StackFrame &frame) {
  ThreadSP thread_sp = frame.GetThread();
  const uint32_t index = frame.GetFrameIndex() + 1;
  CallPlace call;
  call.caller_sp = thread_sp ? thread_sp->GetStackFrameAtIndex(index) : nullptr;
  auto *lanes = dynamic_cast<LaneSource *>(thread_sp.get());
  if (!call.caller_sp || call.caller_sp->IsArtificial() ||
      (lanes && lanes->IsGuess(*call.caller_sp)))
    return std::nullopt;
  Block *block = frame.GetFrameBlock();
  const InlineFunctionInfo *inlined =
      block ? block->GetInlinedFunctionInfo() : nullptr;
  if (inlined) {
    const Declaration &place = inlined->GetCallSite();
    call.block = block->GetParent();
    call.line = place.GetLine();
    call.column = place.GetColumn();
  } else {
    const SymbolContext sc = call.caller_sp->GetSymbolContext(
        eSymbolContextBlock | eSymbolContextLineEntry);
    call.block = sc.block;
    call.line = sc.line_entry.line;
    call.column = sc.line_entry.column;
  }
  if (!call.block || !call.line || !call.column)
    return std::nullopt;
  return call;
}

/// The call of \a callee at a place; null if there is none, or more than one.
static const source::Call *FindCall(const source::Function &caller,
                                    const CallPlace &place,
                                    llvm::StringRef callee) {
  const source::Call *found = nullptr;
  for (const source::Call &call : caller.Calls) {
    if (call.Line != place.line || call.Column != place.column ||
        call.Callee != callee)
      continue;
    if (found)
      return nullptr;
    found = &call;
  }
  return found;
}

/// The index of a parameter among those that a call passes.
static std::optional<size_t> GetIndex(const DWARFDIE &parameter) {
  size_t index = 0;
  for (DWARFDIE child : parameter.GetParent().children()) {
    if (child.Tag() != llvm::dwarf::DW_TAG_formal_parameter ||
        child.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_artificial, 0))
      continue;
    if (child == parameter)
      return index;
    ++index;
  }
  return std::nullopt;
}

SourceValues::Bytes SourceValues::ComputeArgument(Variable &parameter,
                                                  StackFrame &frame) {
  // How many callers an argument may come from; recursion may not end.
  constexpr unsigned max_depth = 32;
  static thread_local unsigned depth = 0;
  if (depth >= max_depth)
    return std::nullopt;
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);

  const DWARFDIE die = GetOrigin(m_symbols.GetDIE(parameter.GetID()));
  const source::Function *function = FindFunction(die);
  const source::Variable *fact = FindFact(parameter);
  if (!function || !fact || fact->IsWritten || function->MayRepeat)
    return std::nullopt;
  std::optional<CallPlace> place = FindCall(frame);
  ModuleSP module_sp =
      place ? place->caller_sp->GetSymbolContext(eSymbolContextModule).module_sp
            : nullptr;
  if (!place || module_sp != m_symbols.GetObjectFile()->GetModule())
    return std::nullopt;
  const source::Function *caller =
      FindFunction(m_symbols.GetDIE(place->block->GetID()));
  const source::Call *call =
      caller ? FindCall(*caller, *place, GetLinkName(GetFunction(die)))
             : nullptr;
  std::optional<size_t> index = GetIndex(die);
  if (!call || !index || *index >= call->Arguments.size() ||
      !call->Arguments[*index])
    return std::nullopt;
  const Scope scope{place->block, *caller, *place->caller_sp};
  Bytes bytes =
      source::evaluate(*call->Arguments[*index], [&](const Expression &leaf) {
        return Find(scope, leaf);
      });
  return bytes && bytes->size() == fact->Type.Size ? bytes : std::nullopt;
}
