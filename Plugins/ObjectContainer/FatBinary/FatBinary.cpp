//===-- FatBinary.cpp -----------------------------------------------------===//

#include "FatBinary.h"

#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointResolver.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/SearchFilter.h"
#include "lldb/Core/Section.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <mutex>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr char kMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
static constexpr uint64_t kMaxEntries = 256;

/// Adds the code objects of the bundle at \a start.
static void ReadBundle(llvm::StringRef section, size_t start,
                       const FileSpec &program,
                       std::vector<FatBinary::CodeObject> &found) {
  const llvm::StringRef bundle = section.drop_front(start);
  size_t at = sizeof(kMagic) - 1;
  auto read = [&](uint64_t &value) {
    if (bundle.size() - std::min(at, bundle.size()) < sizeof(value))
      return false;
    value = llvm::support::endian::read64le(bundle.data() + at);
    at += sizeof(value);
    return true;
  };
  uint64_t count = 0;
  if (!read(count) || count > kMaxEntries)
    return;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset, size, name_size;
    if (!read(offset) || !read(size) || !read(name_size) ||
        name_size > bundle.size() - at)
      return;
    llvm::StringRef name = bundle.substr(at, name_size);
    at += name_size;
    const size_t triple = name.find("amdgcn-amd-amdhsa-");
    if (triple == llvm::StringRef::npos || size == 0 ||
        offset > bundle.size() || size > bundle.size() - offset)
      continue;
    name = name.drop_front(triple + strlen("amdgcn-amd-amdhsa-"));
    name.consume_front("-");
    DataBufferSP data_sp =
        std::make_shared<DataBufferHeap>(bundle.data() + offset, size);
    ModuleSpecList specs;
    if (!ObjectFile::GetModuleSpecifications(FileSpec(), 0, size, specs, data_sp))
      continue;
    auto module_sp = std::make_shared<Module>(ModuleSpec(
        FileSpec(program.GetFilename().GetStringRef().str() + ".co"), UUID(),
        data_sp));
    if (module_sp->GetObjectFile())
      found.push_back({name.str(), module_sp});
  }
}

std::vector<FatBinary::CodeObject> FatBinary::Get(Module &program) {
  struct Known {
    ModuleWP program_wp;
    std::vector<CodeObject> objects;
  };
  static std::mutex &mutex = *new std::mutex;
  static auto &known = *new std::map<Module *, Known>;
  std::lock_guard<std::mutex> guard(mutex);
  for (auto it = known.begin(); it != known.end();)
    it = it->second.program_wp.expired() ? known.erase(it) : std::next(it);
  auto found = known.find(&program);
  if (found != known.end())
    return found->second.objects;
  Known &entry = known[&program];
  entry.program_wp = program.shared_from_this();
  SectionList *sections = program.GetSectionList();
  SectionSP section_sp =
      sections ? sections->FindSectionByName(ConstString(".hip_fatbin"))
               : nullptr;
  DataExtractor data;
  if (!section_sp || !section_sp->GetSectionData(data))
    return {};
  // One for each source file.
  const llvm::StringRef bytes(
      reinterpret_cast<const char *>(data.GetDataStart()), data.GetByteSize());
  for (size_t at = bytes.find(kMagic); at != llvm::StringRef::npos;
       at = bytes.find(kMagic, at + 1))
    ReadBundle(bytes, at, program.GetFileSpec(), entry.objects);
  return entry.objects;
}

namespace {

/// What a breakpoint is set on, of those kinds that GPU code can be searched for.
struct Wanted {
  FileSpec file;
  uint32_t line = 0;
  std::vector<std::string> functions;
  std::string function_regex;
  std::string regex;
  /// Files that are searched; all if there are none.
  std::vector<FileSpec> files;

  bool Covers(const FileSpec &file) const {
    return files.empty() || llvm::any_of(files, [&](const FileSpec &pattern) {
             return FileSpec::Match(pattern, file);
           });
  }

  explicit Wanted(Breakpoint &breakpoint) {
    StructuredData::ObjectSP whole_sp = breakpoint.SerializeToStructuredData();
    StructuredData::Dictionary *dict =
        whole_sp ? whole_sp->GetAsDictionary() : nullptr;
    llvm::StringRef kind, text;
    StructuredData::Dictionary *options = nullptr, *filter = nullptr;
    if (!dict || !dict->GetValueForKeyAsDictionary(
                     Breakpoint::GetSerializationKey(), dict))
      return;
    StructuredData::Array *units = nullptr;
    if (dict->GetValueForKeyAsDictionary(SearchFilter::GetSerializationKey(),
                                         filter) &&
        filter->GetValueForKeyAsDictionary("Options", filter) &&
        filter->GetValueForKeyAsArray("CUList", units) && units)
      for (size_t i = 0; i < units->GetSize(); ++i)
        if (std::optional<llvm::StringRef> name =
                units->GetItemAtIndexAsString(i))
          files.emplace_back(*name);
    if (!dict->GetValueForKeyAsDictionary(
            BreakpointResolver::GetSerializationKey(), dict) ||
        !dict->GetValueForKeyAsString("Type", kind) ||
        !dict->GetValueForKeyAsDictionary("Options", options))
      return;
    uint64_t number = 0;
    if (kind == "FileAndLine" &&
        options->GetValueForKeyAsString("FileName", text) &&
        options->GetValueForKeyAsInteger("LineNumber", number)) {
      file = FileSpec(text);
      line = uint32_t(number);
    } else if (kind == "SourceRegex") {
      if (options->GetValueForKeyAsString("Regex", text))
        regex = text.str();
    } else if (kind == "SymbolName") {
      StructuredData::Array *names = nullptr;
      if (options->GetValueForKeyAsArray("SymbolNames", names) && names)
        for (size_t i = 0; i < names->GetSize(); ++i)
          if (std::optional<llvm::StringRef> name =
                  names->GetItemAtIndexAsString(i))
            functions.push_back(name->str());
      if (options->GetValueForKeyAsString("Regex", text))
        function_regex = text.str();
    }
  }
};

/// Whether the function, or what is inlined there, begins at \a line or before.
bool BeginsBefore(const SymbolContext &context, uint32_t line) {
  if (context.line_entry.line == line)
    return true;
  SupportFileNSP file = std::make_shared<SupportFile>();
  uint32_t first = 0;
  Block *inlined = context.block ? context.block->GetContainingInlinedBlock() : nullptr;
  if (const InlineFunctionInfo *info =
          inlined ? inlined->GetInlinedFunctionInfo() : nullptr)
    first = info->GetDeclaration().GetLine();
  else
    context.function->GetStartLineSourceInfo(file, first);
  return first && first <= line;
}

} // namespace

std::vector<std::string> FatBinary::Bind(Target &host, Breakpoint &breakpoint) {
  ModuleSP program_sp = host.GetExecutableModule();
  const Wanted wanted(breakpoint);
  if (!program_sp ||
      (!wanted.line && wanted.functions.empty() &&
       wanted.function_regex.empty() && wanted.regex.empty()))
    return {};
  // Each place once, with the GPUs whose code has it.
  std::vector<std::pair<std::string, std::string>> places;
  bool has_line = false;
  std::set<std::pair<std::string, uint32_t>> lines;
  auto add = [&](const CodeObject &object, const SymbolContext &context,
                 const LineEntry &line) {
    const std::string where =
        llvm::formatv("{0} at {1}:{2}",
                      context.GetFunctionName().GetStringRef(),
                      line.GetFile().GetFilename(), line.line)
            .str();
    lines.insert({line.GetFile().GetFilename().GetStringRef().str(), line.line});
    for (auto &[known, processors] : places)
      if (known == where) {
        if (!llvm::StringRef(processors).ends_with(object.processor))
          processors += ", " + object.processor;
        return;
      }
    places.emplace_back(where, object.processor);
  };
  // A line without code is the next one of its function that has some.
  auto add_line = [&](const CodeObject &object, const FileSpec &file,
                      uint32_t number) {
    SymbolContextList contexts;
    object.module_sp->ResolveSymbolContextsForFileSpec(
        file, number, /*check_inlines=*/true, eSymbolContextEverything, contexts);
    for (const SymbolContext &context : contexts)
      if (context.function && BeginsBefore(context, number)) {
        has_line = true;
        add(object, context, context.line_entry);
      }
  };
  auto add_function = [&](const CodeObject &object, SymbolContext context) {
    Address address;
    if (context.block || context.function) {
      AddressRange range;
      context.GetAddressRange(eSymbolContextBlock | eSymbolContextFunction, 0,
                              /*use_inline_block_range=*/true, range);
      address = range.GetBaseAddress();
    } else if (context.symbol &&
               context.symbol->GetType() == eSymbolTypeCode) {
      address = context.symbol->GetAddress();
      address.CalculateSymbolContext(&context, eSymbolContextFunction |
                                                   eSymbolContextSymbol);
    }
    LineEntry line;
    if (!address.IsValid() || !address.CalculateSymbolContextLineEntry(line))
      return;
    // Optimised code may begin with what was inlined from elsewhere.
    if (context.function && !context.block) {
      SupportFileNSP function_file = std::make_shared<SupportFile>();
      uint32_t number = 0;
      context.function->GetStartLineSourceInfo(function_file, number);
      if (number && function_file->GetSpecOnly() != line.GetFile()) {
        line.file_sp = function_file;
        line.line = number;
      }
    }
    add(object, context, line);
  };
  for (const CodeObject &object : Get(*program_sp)) {
    if (wanted.line)
      add_line(object, wanted.file, wanted.line);
    if (!wanted.regex.empty()) {
      RegularExpression regex(wanted.regex);
      for (size_t i = 0; i < object.module_sp->GetNumCompileUnits(); ++i) {
        CompUnitSP unit_sp = object.module_sp->GetCompileUnitAtIndex(i);
        std::vector<uint32_t> matches;
        FileSpec file = unit_sp->GetPrimaryFile();
        if (!wanted.Covers(file))
          continue;
        host.GetSourceManager().FindLinesMatchingRegex(
            std::make_shared<SupportFile>(file), regex, 1,
                                                       UINT32_MAX, matches);
        for (uint32_t number : matches)
          add_line(object, file, number);
      }
    }
    // Symbols, too: a template's are found by its name without arguments.
    ModuleFunctionSearchOptions options;
    options.include_inlines = true;
    options.include_symbols = true;
    SymbolContextList contexts;
    for (const std::string &name : wanted.functions)
      object.module_sp->FindFunctions(ConstString(name), CompilerDeclContext(),
                                      eFunctionNameTypeAuto, options, contexts);
    if (!wanted.function_regex.empty())
      object.module_sp->FindFunctions(RegularExpression(wanted.function_regex),
                                      options, contexts);
    for (const SymbolContext &context : contexts)
      add_function(object, context);
  }
  // The host's search has gone to the next line with code of its own.
  for (size_t i = 0; has_line && i < breakpoint.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = breakpoint.GetLocationAtIndex(i);
    LineEntry line;
    if (location_sp->GetAddress().CalculateSymbolContextLineEntry(line) &&
        !lines.count({line.GetFile().GetFilename().GetStringRef().str(),
                      line.line}))
      llvm::consumeError(location_sp->SetEnabled(false));
  }
  std::vector<std::string> result;
  for (const auto &[where, processors] : places)
    result.push_back(llvm::formatv("Breakpoint {0}: where = {1} (GPU code for {2})",
                                   breakpoint.GetID(), where, processors)
                         .str());
  return result;
}
