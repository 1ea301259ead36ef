//===-- Symbols.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Symbols.h"

#include "wavelane/Formats/DebugInfo/Check.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Formats/Files/SourceFile.h"
#include "wavelane/GPU/Processors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"

#include <fcntl.h>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace wavelane::check;
using namespace llvm;
using object::ELF64LEObjectFile;

struct Symbols::Code {
  uint64_t Size = 0;
  std::string Uri;
  std::unique_ptr<MemoryBuffer> Bytes;
  std::unique_ptr<object::ObjectFile> Object; ///< null if it can't be read
  std::unique_ptr<Variables> Names;           ///< made on demand
  std::string File;                           ///< empty if it is of none
  /// When its file was written; none if it is of no file.
  std::optional<sys::TimePoint<>> Written;
  /// Of functions that findings are in, by their addresses in the object.
  std::map<uint64_t, gpu::ExecutingLanes> Lanes;

  gpu::ExecutingLanes findLanes(uint64_t Function, uint64_t Bytes) const;
  Variables &variables() {
    if (!Names)
      Names = std::make_unique<Variables>(*Object);
    return *Names;
  }
};

/// When a file was changed last.
static std::optional<sys::TimePoint<>> writtenAt(const Twine &Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status))
    return std::nullopt;
  return Status.getLastModificationTime();
}

static symbolize::LLVMSymbolizer::Options symbolizerOptions() {
  symbolize::LLVMSymbolizer::Options O;
  O.PrintFunctions = symbolize::FunctionNameKind::LinkageName;
  O.PathStyle = symbolize::FileLineInfoKind::AbsoluteFilePath;
  O.SkipLineZero = true;
  return O;
}

Symbols::Symbols(pid_t Program, simulator::ReadMemory Read,
                 simulator::ReadMemory ReadGlobal)
    : Program(Program), Read(std::move(Read)),
      ReadGlobal(std::move(ReadGlobal)), Symbolizer(symbolizerOptions()) {}
Symbols::~Symbols() = default;

/// A number of the URI's fragment: "offset=0x10&size=32".
static uint64_t fragmentNumber(StringRef Fragment, StringRef Name) {
  SmallVector<StringRef, 4> Parts;
  Fragment.split(Parts, '&');
  for (StringRef Part : Parts) {
    uint64_t Value;
    if (Part.consume_front(Name) && Part.consume_front("=") &&
        !Part.getAsInteger(0, Value))
      return Value;
  }
  return 0;
}

static std::string decodePercents(StringRef Text) {
  std::string Out;
  for (size_t I = 0; I < Text.size(); ++I) {
    unsigned Byte;
    if (Text[I] == '%' && !Text.substr(I + 1, 2).getAsInteger(16, Byte)) {
      Out += char(Byte);
      I += 2;
    } else {
      Out += Text[I];
    }
  }
  return Out;
}

/// How much memory the segments of an object take.
static uint64_t loadedSize(const object::ObjectFile *Object) {
  const auto *Elf = dyn_cast_or_null<ELF64LEObjectFile>(Object);
  if (!Elf)
    return 0;
  auto Headers = Elf->getELFFile().program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return 0;
  }
  uint64_t End = 0;
  for (const auto &H : *Headers)
    if (H.p_type == ELF::PT_LOAD)
      End = std::max<uint64_t>(End, H.p_vaddr + H.p_memsz);
  return End;
}

void Symbols::addCode(uint64_t Base, uint64_t Size, StringRef Uri) {
  auto [Path, Fragment] = Uri.split('#');
  const uint64_t Offset = fragmentNumber(Fragment, "offset");
  const uint64_t Length = fragmentNumber(Fragment, "size");
  auto C = std::make_unique<Code>();
  C->Size = Size;
  C->Uri = Uri.str();
  if (Length && Path.consume_front("file://")) {
    C->File = decodePercents(Path);
    C->Written = writtenAt(C->File);
    if (auto Bytes = wavelane::files::readRegular(C->File, Offset, Length))
      C->Bytes = std::move(*Bytes);
  } else if (Length && Length <= wavelane::files::MostBytes &&
             Path.starts_with("memory://")) {
    auto Bytes = WritableMemoryBuffer::getNewUninitMemBuffer(Length);
    if (Bytes && Read(Offset, Bytes->getBufferStart(), Length))
      C->Bytes = std::move(Bytes);
  }
  if (C->Bytes) {
    // The symbolizer distinguishes objects by their name.
    auto Object = object::ObjectFile::createELFObjectFile(
        MemoryBufferRef(C->Bytes->getBuffer(), C->Uri));
    if (!Object) {
      consumeError(Object.takeError());
    } else if (Error Bad = wavelane::debuginfo::check(**Object)) {
      fprintf(stderr,
              "wavelane-gpu: the debug information of %s is damaged: %s\n",
              C->Uri.c_str(), toString(std::move(Bad)).c_str());
    } else {
      C->Object = std::move(*Object);
    }
  }
  if (!C->Size)
    C->Size = loadedSize(C->Object.get());
  // Unloaded code at these addresses is forgotten now.
  for (auto It = Codes.begin(); It != Codes.end();)
    It = It->first < Base + C->Size && Base < It->first + It->second->Size
             ? Codes.erase(It)
             : std::next(It);
  Codes[Base] = std::move(C);
}

std::vector<std::pair<std::string, uint32_t>> Symbols::lines() const {
  std::set<std::pair<std::string, uint32_t>> Found;
  for (const auto &[Base, C] : Codes) {
    if (!C->Object)
      continue;
    const std::unique_ptr<DWARFContext> Debug =
        DWARFContext::create(*C->Object);
    for (const auto &Unit : Debug->compile_units()) {
      const DWARFDebugLine::LineTable *Table =
          Debug->getLineTableForUnit(Unit.get());
      if (!Table)
        continue;
      std::map<uint64_t, std::string> Files;
      for (const DWARFDebugLine::Row &Row : Table->Rows) {
        if (Row.EndSequence || !Row.Line)
          continue;
        auto [It, IsNew] = Files.try_emplace(Row.File);
        if (IsNew)
          Table->getFileNameByIndex(
              Row.File, Unit->getCompilationDir(),
              DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
              It->second);
        Found.emplace(It->second, Row.Line);
      }
    }
  }
  return {Found.begin(), Found.end()};
}

Symbols::Code *Symbols::findCode(uint64_t Address) {
  auto It = Codes.upper_bound(Address);
  if (It == Codes.begin())
    return nullptr;
  --It;
  return Address - It->first < It->second->Size ? It->second.get() : nullptr;
}

void Symbols::append(std::vector<Frame> &To, Expected<DIInliningInfo> From,
                     uint64_t Address, StringRef Program) {
  const size_t Before = To.size();
  if (From) {
    for (unsigned I = 0; I < From->getNumberOfFrames(); ++I) {
      const DILineInfo &Info = From->getFrame(I);
      Frame F;
      F.Address = Address;
      if (Info.FunctionName != DILineInfo::BadString)
        F.Function = Info.FunctionName;
      if (Info.FileName != DILineInfo::BadString)
        F.File = Info.FileName;
      F.Source = files::findSource(F.File, Program);
      F.Line = Info.Line;
      F.Column = Info.Column;
      F.IsInlined = I + 1 < From->getNumberOfFrames();
      To.push_back(std::move(F));
    }
  } else {
    consumeError(From.takeError());
  }
  if (To.size() == Before) {
    To.emplace_back();
    To.back().Address = Address;
  }
}

std::vector<Frame> Symbols::frames(uint64_t PC) {
  std::vector<Frame> Out;
  const Code *C = findCode(PC);
  if (!C || !C->Object) {
    Out.emplace_back();
    Out.back().Address = PC;
    return Out;
  }
  const uint64_t Base = std::prev(Codes.upper_bound(PC))->first;
  append(Out,
         Symbolizer.symbolizeInlinedCode(
             *C->Object, {PC - Base, object::SectionedAddress::UndefSection}),
         PC, C->File);
  return Out;
}

std::string Symbols::kernelName(uint64_t KernelObject) {
  if (const Code *C = findCode(KernelObject); C && C->Object) {
    const uint64_t At =
        KernelObject - std::prev(Codes.upper_bound(KernelObject))->first;
    auto Named = [&](auto Range) -> std::string {
      for (const object::ELFSymbolRef Symbol : Range) {
        Expected<uint64_t> Value = Symbol.getValue();
        Expected<StringRef> Name = Symbol.getName();
        const bool IsIt =
            Value && Name && *Value == At && Name->ends_with(".kd");
        if (!Value)
          consumeError(Value.takeError());
        if (!Name)
          consumeError(Name.takeError());
        else if (IsIt)
          return demangle(Name->drop_back(3));
      }
      return std::string();
    };
    if (const auto *Elf = dyn_cast<object::ELFObjectFileBase>(C->Object.get()))
      if (std::string Name = Named(Elf->getDynamicSymbolIterators());
          !Name.empty())
        return Name;
  }
  return "an unknown kernel";
}

wavelane::gpu::ExecutingLanes Symbols::Code::findLanes(uint64_t Function,
                                                       uint64_t Length) const {
  const auto *Elf = dyn_cast<object::ELFObjectFileBase>(Object.get());
  const gpu::Processor *Of =
      Elf ? gpu::findByElfFlags(Elf->getPlatformFlags()) : nullptr;
  if (!Of)
    return {};
  auto Machine = gpu::MachineCode::create(Of->Name);
  if (!Machine) {
    consumeError(Machine.takeError());
    return {};
  }
  for (const object::SectionRef &Section : Elf->sections()) {
    const uint64_t Offset = Function - Section.getAddress();
    if (!Section.isText() || Offset >= Section.getSize())
      continue;
    if (Expected<StringRef> Contents = Section.getContents())
      return gpu::ExecutingLanes(
          **Machine, Function,
          arrayRefFromStringRef(Contents->substr(Offset, Length)));
    else
      consumeError(Contents.takeError());
  }
  return {};
}

wavelane::gpu::ExecutingMask Symbols::executingMask(uint64_t PC) {
  Code *C = findCode(PC);
  const auto *Elf =
      C ? dyn_cast_or_null<object::ELFObjectFileBase>(C->Object.get())
        : nullptr;
  if (!Elf)
    return {};
  const uint64_t At = PC - std::prev(Codes.upper_bound(PC))->first;
  for (const object::ELFSymbolRef Symbol : Elf->symbols()) {
    const uint64_t Size = Symbol.getSize();
    Expected<uint64_t> Value = Symbol.getValue();
    if (!Value) {
      consumeError(Value.takeError());
      continue;
    }
    if (Symbol.getELFType() != ELF::STT_FUNC || At - *Value >= Size)
      continue;
    auto [Known, IsNew] = C->Lanes.try_emplace(*Value);
    if (IsNew)
      Known->second = C->findLanes(*Value, Size);
    return Known->second.get(At);
  }
  return {};
}

std::string Symbols::variable(const Finding &F) {
  if (F.Memory == Space::Global)
    if (Code *Of = findCode(F.Address); Of && Of->Object)
      return Of->variables().nameGlobal(
          F.Address - std::prev(Codes.upper_bound(F.Address))->first);
  const Launch *Kernel = F.Here.Kernel.get();
  if (!Kernel)
    return std::string();
  Code *C = findCode(Kernel->Entry);
  if (!C || !C->Object)
    return std::string();
  const uint64_t Base = std::prev(Codes.upper_bound(Kernel->Entry))->first;
  if (F.Memory == Space::Local)
    return C->variables().nameLocal(*Kernel, Base, F.Address);
  if (F.Memory != Space::Global || !F.Block ||
      F.Address - F.Block->Address >= F.Block->Size)
    return std::string();
  return C->variables().nameByArgument(*Kernel, Base, F.Address, *F.Block);
}

/// The line of \a At, if it has a column of its own and the source isn't
/// younger than the code.
std::string Symbols::lineAt(Code &Of, const Frame &At) {
  if (!Of.Written || !At.Line || !At.Column ||
      !Of.variables().hasOwnLine(
          At.Address - std::prev(Codes.upper_bound(At.Address))->first))
    return std::string();
  const std::optional<sys::TimePoint<>> Source = writtenAt(At.Source);
  return Source && *Source <= *Of.Written ? sourceLine(At) : std::string();
}

bool Symbols::ofVolatile(uint64_t PC, FindPointer *Find) {
  Code *C = findCode(PC);
  if (!C || !C->Object)
    return false;
  const Frame Inner = frames(PC).front();
  const std::string Line = lineAt(*C, Inner);
  const std::string Name = Find(Line, Inner.Column).Name;
  return !Name.empty() &&
         C->variables().isOfVolatile(std::prev(Codes.upper_bound(PC))->first,
                                     PC, Name);
}

bool Symbols::isAtomicOfDevice(uint64_t PC) {
  return any_of(frames(PC), [](const Frame &F) {
    const StringRef Name = StringRef(F.Function).split('(').first;
    return isHipHeader(F.File) && Name.starts_with("atomic") &&
           !Name.ends_with("_system");
  });
}

std::string Symbols::meantElement(const Launch &Kernel,
                                  const isa::WaveState &Wave, uint64_t PC,
                                  ArrayRef<uint64_t> Returns,
                                  const isa::LaneAccess &A) {
  PointerPlace Of;
  Of.PC = PC;
  std::vector<Frame> Frames = frames(PC);
  const Frame *Own = programFrame(Frames);
  // HIP's functions access what is passed to them.
  while (isHipHeader(Own->File) && !Returns.empty()) {
    // The calling instructions have 4 bytes.
    Of.PC = Returns.front() - 4;
    Of.IsCaller = true;
    Returns = Returns.drop_front();
    Frames = frames(Of.PC);
    Own = programFrame(Frames);
  }
  Code *C = findCode(Of.PC);
  if (!C || !C->Object)
    return std::string();
  const std::string Line = lineAt(*C, *Own);
  const bool IsPassed = Of.IsCaller || Own != &Frames.front();
  FindPointer *Find = IsPassed                       ? passedPointer
                      : A.Kind == isa::Access::Write ? writtenPointer
                                                     : readPointer;
  Of.Pointer = Find(Line, Own->Column);
  // So do builtins.
  if (Of.Pointer.Name.empty() && Own->Column &&
      StringRef(Line).substr(Own->Column - 1).starts_with("__"))
    Of.Pointer = passedPointer(Line, Own->Column);
  if (Of.Pointer.Name.empty())
    return std::string();
  Of.Base = std::prev(Codes.upper_bound(Of.PC))->first;
  Of.Depth = unsigned(Own - Frames.data());
  return C->variables().nameByPointer(Kernel, Wave, ReadGlobal, Of, A);
}

std::vector<std::string> Symbols::argumentsInto(const Launch &Kernel,
                                                const Allocation &Block) {
  Code *C = findCode(Kernel.Entry);
  if (!C || !C->Object)
    return {};
  return C->variables().argumentsInto(
      Kernel, std::prev(Codes.upper_bound(Kernel.Entry))->first, Block);
}

std::optional<ArrayObject> Symbols::array(const Launch &Kernel, uint64_t PC,
                                          Space In) {
  Code *C = findCode(PC);
  if (!C || !C->Object)
    return std::nullopt;
  const Frame Inner = frames(PC).front();
  const std::string Line = lineAt(*C, Inner);
  const ArrayAccess Does = accessedArray(Line, Inner.Column);
  if (Does.Name.empty())
    return std::nullopt;
  std::optional<ArrayObject> Array = C->variables().findArray(
      Kernel, std::prev(Codes.upper_bound(PC))->first, PC, Does.Name, In);
  if (Array) {
    Array->Reads = Does.Reads;
    Array->Writes = Does.Writes;
  }
  return Array;
}

std::string Symbols::inFrame(uint64_t PC, int64_t Offset) {
  Code *C = findCode(PC);
  return C && C->Object
             ? C->variables().nameInFrame(
                   std::prev(Codes.upper_bound(PC))->first, PC, Offset)
             : std::string();
}

/// The text of a source line; empty if it can't be read.
std::string wavelane::check::sourceLine(const Frame &F) {
  if (!F.Line)
    return std::string();
  auto Buffer = wavelane::files::readRegular(F.Source);
  if (!Buffer)
    return std::string();
  for (line_iterator It(**Buffer, /*SkipBlanks=*/false); !It.is_at_eof(); ++It)
    if (uint32_t(It.line_number()) == F.Line)
      return It->take_front(200).rtrim().str();
  return std::string();
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

void Symbols::readModules() {
  std::ifstream Maps("/proc/" + std::to_string(Program) + "/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    unsigned long Begin = 0, End = 0, Offset = 0;
    char Access[8] = {};
    int PathAt = 0;
    if (sscanf(Line.c_str(), "%lx-%lx %7s %lx %*s %*s %n", &Begin, &End, Access,
               &Offset, &PathAt) < 4 ||
        Access[2] != 'x' || !PathAt || Line[size_t(PathAt)] != '/')
      continue;
    Modules[Begin] = {End, Offset, Line.substr(size_t(PathAt))};
  }
}

void Symbols::seeHost(ArrayRef<uint64_t> Addresses) {
  for (uint64_t A : Addresses) {
    auto It = Modules.upper_bound(A);
    if (It == Modules.begin() || std::prev(It)->second.End <= A) {
      readModules();
      return;
    }
  }
}

/// The address in the file's own terms.
bool Symbols::fileAddress(const Module &M, uint64_t Begin, uint64_t Address,
                          uint64_t &Out) {
  const uint64_t Offset = Address - Begin + M.Offset;
  auto Buffer = wavelane::files::mapRegular(M.Path);
  if (!Buffer)
    return false;
  auto Elf = object::ELFFile<object::ELF64LE>::create((*Buffer)->getBuffer());
  if (!Elf) {
    consumeError(Elf.takeError());
    return false;
  }
  auto Headers = Elf->program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return false;
  }
  for (const auto &H : *Headers)
    if (H.p_type == ELF::PT_LOAD && Offset >= H.p_offset &&
        Offset - H.p_offset < H.p_filesz) {
      Out = Offset - H.p_offset + H.p_vaddr;
      return true;
    }
  return false;
}

static bool isRuntime(StringRef Path) {
  const StringRef Name = Path.substr(Path.rfind('/') + 1);
  return Name.starts_with("libamdhip64") ||
         Name.starts_with("libhsa-runtime64") ||
         Name.starts_with("libwavelane-driver");
}

const Symbols::Module *Symbols::findModule(uint64_t Address) {
  for (bool IsNew = false;; IsNew = true) {
    auto It = Modules.upper_bound(Address);
    if (It != Modules.begin() && std::prev(It)->second.End > Address)
      return &std::prev(It)->second;
    if (IsNew)
      return nullptr;
    readModules();
  }
}

/// Whether the bytes before a return address are a call's.
static bool endsWithCall(const uint8_t (&Bytes)[7]) {
  constexpr uint8_t Call = 0xe8, Indirect = 0xff;
  // "call *" has a byte of operands with the number 2 in it.
  const auto IsIndirect = [&](unsigned Length) {
    return Bytes[7 - Length] == Indirect && (Bytes[8 - Length] >> 3 & 7) == 2;
  };
  return Bytes[2] == Call || IsIndirect(2) || IsIndirect(3) || IsIndirect(6) ||
         IsIndirect(7);
}

std::vector<uint64_t> Symbols::hostStack(uint64_t PC, uint64_t SP) {
  const Module *In = findModule(PC);
  // What isn't in a file is the kernel's or made by the program.
  if (In && isRuntime(In->Path))
    return {};
  // The next instruction's, as a return address is.
  std::vector<uint64_t> Out = {PC + 1};
  std::string Own = "/proc/" + std::to_string(Program) + "/exe";
  SmallString<256> Executable;
  if (sys::fs::real_path(Own, Executable) || (In && In->Path == Executable))
    return Out;
  constexpr size_t Most = 512; // words
  uint64_t Words[Most];
  size_t Count = Most;
  while (Count && !Read(SP, Words, Count * 8))
    Count /= 2;
  for (const uint64_t Word : ArrayRef(Words, Count)) {
    auto It = Modules.upper_bound(Word);
    uint8_t Before[7];
    if (It == Modules.begin() || std::prev(It)->second.End <= Word ||
        !Read(Word - sizeof(Before), Before, sizeof(Before)) ||
        !endsWithCall(Before))
      continue;
    if (isRuntime(std::prev(It)->second.Path))
      return {};
    if (std::prev(It)->second.Path == Executable) {
      Out.push_back(Word);
      break;
    }
  }
  return Out;
}

bool wavelane::check::isHipHeader(StringRef File) {
  return File.contains("/include/hip/");
}

const Frame *wavelane::check::programFrame(const std::vector<Frame> &Frames) {
  const Frame *Best = Frames.empty() ? nullptr : &Frames.back();
  for (const Frame &F : reverse(Frames))
    if (F.Line && (!isHipHeader(F.File) || !Best->Line))
      Best = &F;
  return Best;
}

std::vector<Frame> Symbols::hostFrames(ArrayRef<uint64_t> Returns) {
  std::vector<Frame> Out;
  bool InRuntime = true;
  for (uint64_t Return : Returns) {
    const uint64_t Call = Return - 1;
    auto It = Modules.upper_bound(Call);
    if (It == Modules.begin() || std::prev(It)->second.End <= Call) {
      Out.emplace_back();
      Out.back().Address = Return;
      continue;
    }
    --It;
    if (isRuntime(It->second.Path)) {
      // Keep the last, which the program has called.
      if (InRuntime)
        Out.clear();
    } else {
      InRuntime = false;
    }
    uint64_t Address = 0;
    if (!fileAddress(It->second, It->first, Call, Address)) {
      Out.emplace_back();
      Out.back().Address = Return;
      continue;
    }
    append(
        Out,
        Symbolizer.symbolizeInlinedCode(
            It->second.Path, {Address, object::SectionedAddress::UndefSection}),
        Return, It->second.Path);
    if (Out.back().Function == "main")
      break;
  }
  // A function of the runtime has a name, and no place of interest.
  if (!Out.empty() && !Returns.empty()) {
    std::vector<Frame> Filtered;
    for (Frame &F : Out)
      if (!isHipHeader(F.File))
        Filtered.push_back(std::move(F));
    Out = std::move(Filtered);
  }
  return Out;
}
