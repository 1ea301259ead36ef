//===-- CodeObjects.cpp - GPU code that a program has loaded --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObjects.h"
#include "LoadedFile.h"
#include "wavelane/Formats/CoreFile/LoadedImage.h"
#include "wavelane/Formats/DebugInfo/Check.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <unistd.h>

using llvm::StringRef;

namespace wavelane::server {

static std::string PercentDecode(StringRef text) {
  std::string result;
  while (!text.empty()) {
    uint8_t byte;
    if (text.size() >= 3 && text[0] == '%' &&
        llvm::tryGetHexFromNibbles(text[1], text[2], byte)) {
      result += char(byte);
      text = text.drop_front(3);
    } else {
      result += text[0];
      text = text.drop_front();
    }
  }
  return result;
}

std::optional<CodeObjectPlace> CodeObjectPlace::Parse(StringRef uri) {
  CodeObjectPlace place;
  auto [where, query] = uri.split(uri.contains('#') ? '#' : '?');
  if (where.consume_front("file://"))
    place.path = PercentDecode(where);
  else if (where.consume_front("memory://"))
    place.in_memory = true;
  else
    return std::nullopt;
  llvm::SmallVector<StringRef, 2> parts;
  query.split(parts, '&', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [key, text] = part.split('=');
    uint64_t value;
    if (key != "offset" && key != "size")
      continue;
    if (text.getAsInteger(0, value))
      return std::nullopt;
    if (key == "offset")
      place.offset = value;
    else
      place.size = value;
  }
  if (place.in_memory) {
    if (!place.offset || !place.size)
      return std::nullopt;
    place.address = *place.offset;
  } else if (place.path.empty()) {
    return std::nullopt;
  }
  return place;
}

llvm::Error CodeObjects::Read() {
  if (m_read || !m_session.IsAttached())
    return llvm::Error::success();
  auto ids = m_session.List<amd_dbgapi_code_object_id_t>(
      "listing code objects",
      [&](size_t *count, amd_dbgapi_code_object_id_t **items) {
        return m_session.fn().process_code_object_list(m_session.id(), count,
                                                       items, nullptr);
      });
  if (!ids)
    return ids.takeError();
  m_read = true;
  std::map<uint64_t, Object> objects;
  for (amd_dbgapi_code_object_id_t id : *ids) {
    auto known = m_objects.find(id.handle);
    if (known != m_objects.end()) {
      objects.insert(m_objects.extract(known));
      continue;
    }
    auto uri = m_session.GetString(m_session.fn().code_object_get_info, id,
                                   AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME);
    // The library declares this query's type as signed, with the width of
    // global_address_t.
    auto load_address =
        m_session.Get<int64_t>(m_session.fn().code_object_get_info, id,
                               AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS);
    if (!uri || !load_address)
      continue;
    std::optional<CodeObjectPlace> place = CodeObjectPlace::Parse(*uri);
    if (!place)
      continue;
    Object &object = objects[id.handle];
    object.uri = *uri;
    object.place = *place;
    object.load_address = *load_address;
    if (m_session.GetCoreFiles())
      FindForCore(object);
    else
      CheckFile(object);
  }
  m_objects = std::move(objects);
  return llvm::Error::success();
}

protocol::AcceleratorLibrary CodeObjects::DescribeLibrary(const Object &object,
                                                          bool load) {
  protocol::AcceleratorLibrary library;
  // A path of other bytes than UTF-8's isn't JSON's text; the URI has it as
  // %xx.
  const bool is_path =
      !object.place.in_memory && llvm::json::isUTF8(object.place.path);
  library.Path = is_path ? object.place.path : object.uri;
  library.Load = load;
  library.LoadAddress = uint64_t(object.load_address);
  if (!object.build_id.empty())
    library.UUID = object.build_id;
  if (!object.warning.empty())
    library.Warning = object.warning;
  library.LoadedImage = object.from_image;
  if (!object.from_image && object.place.in_memory) {
    library.MemoryAddress = object.place.address;
    library.MemorySize = object.place.size;
  } else if (!object.from_image) {
    library.FileOffset = object.place.offset;
    library.FileSize = object.place.size;
  }
  return library;
}

llvm::Expected<std::vector<protocol::AcceleratorLibrary>>
CodeObjects::GetLibraries(bool full) {
  if (llvm::Error error = Read())
    return error;
  std::vector<protocol::AcceleratorLibrary> libraries;
  if (!full)
    for (auto &[id, object] : m_reported)
      if (!m_objects.count(id))
        libraries.push_back(DescribeLibrary(object, /*load=*/false));
  for (auto &[id, object] : m_objects) {
    if (object.left_out)
      continue;
    if (full || !m_reported.count(id)) {
      ReadSymbols(object);
      libraries.push_back(DescribeLibrary(object, /*load=*/true));
    }
  }
  m_reported.clear();
  for (auto &[id, object] : m_objects) {
    Object &reported = m_reported[id];
    reported.uri = object.uri;
    reported.place = object.place;
    reported.load_address = object.load_address;
    reported.build_id = object.build_id;
  }
  return libraries;
}

std::optional<std::pair<std::string, int64_t>> CodeObjects::GetExecutable() {
  ReadIfPossible();
  const std::string program =
      llvm::formatv("/proc/{0}/exe", m_session.GetPID());
  std::optional<std::pair<std::string, int64_t>> found;
  for (auto &[id, object] : m_objects) {
    const bool is_own = !object.place.in_memory &&
                        llvm::sys::fs::equivalent(object.place.path, program);
    if (found && !is_own)
      continue;
    std::string contents = GetContents(object);
    if (contents.empty())
      continue;
    found.emplace(std::move(contents), object.load_address);
    if (is_own)
      break;
  }
  return found;
}

llvm::Expected<llvm::json::Value> CodeObjects::GetObjects() {
  if (llvm::Error error = Read())
    return error;
  llvm::json::Array objects;
  for (auto &[id, object] : m_objects)
    objects.push_back(
        llvm::json::Object{{"id", id},
                           {"uri", object.uri},
                           {"load_address", uint64_t(object.load_address)}});
  return objects;
}

std::string CodeObjects::GetContents(const Object &object) {
  if (object.left_out)
    return {};
  if (!object.from_image)
    return GetContents(object.place);
  auto image = corefile::rebuildImage(
      uint64_t(object.load_address),
      [this](uint64_t address, void *buffer, size_t size) {
        return m_session.GetCoreFiles()
                   ? m_session.ReadCore(address, buffer, size)
                   : ReadMemory(address, buffer, size);
      });
  if (image)
    return std::string(image->begin(), image->end());
  llvm::consumeError(image.takeError());
  return {};
}

std::string CodeObjects::GetContents(const CodeObjectPlace &place) {
  std::string contents;
  if (!place.in_memory) {
    if (auto file = files::readRegular(place.path, place.offset.value_or(0),
                                       place.size))
      contents = (*file)->getBuffer().str();
    return contents;
  }
  if (*place.size > files::MostBytes)
    return contents;
  contents.resize(*place.size);
  if (ReadMemory(place.address, contents.data(), contents.size()) !=
      contents.size())
    return {};
  return contents;
}

size_t CodeObjects::ReadMemory(uint64_t address, void *buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    amd_dbgapi_size_t part = size - done;
    if (!m_session.Ok(m_session.fn().read_memory(
                          m_session.id(), AMD_DBGAPI_WAVE_NONE,
                          AMD_DBGAPI_LANE_NONE, AMD_DBGAPI_ADDRESS_SPACE_GLOBAL,
                          address + done, &part,
                          static_cast<char *>(buffer) + done),
                      "reading a code object") ||
        part == 0)
      break;
    done += part;
  }
  return done;
}

void CodeObjects::CheckFile(Object &object) {
  const std::string &path = object.place.path;
  if (object.place.in_memory || !MayHaveChanged(path, m_session.GetPID()))
    return;
  auto is_loaded = [&](const CodeObjectPlace &place) {
    return IsLoaded(GetContents(place), uint64_t(object.load_address),
                    [this](uint64_t address, void *buffer, size_t size) {
                      return ReadMemory(address, buffer, size);
                    });
  };
  const bool exists = llvm::sys::fs::exists(path);
  if (exists && is_loaded(object.place))
    return;
  const char *change =
      exists ? "has changed since the program loaded it" : "is missing";
  // The kernel keeps the file that a program was started from (proc(5)).
  CodeObjectPlace running = object.place;
  running.path = llvm::formatv("/proc/{0}/exe", m_session.GetPID());
  if (is_loaded(running)) {
    object.warning =
        llvm::formatv("GPU code object {0} is read from {1}: the file {2}",
                      path, running.path, change);
    object.place = running;
    return;
  }
  object.from_image = true;
  object.warning = llvm::formatv(
      "GPU code object {0} is read from memory, without debug information: the "
      "file {1}; restart the program to debug it with source",
      path, change);
}

void CodeObjects::ReadSymbols(Object &object) {
  if (object.symbols_read)
    return;
  object.symbols_read = true;
  const std::string contents = GetContents(object);
  auto binary = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(contents, object.uri));
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return;
  }
  auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(binary->get());
  if (!elf)
    return;
  // The dynamic symbol table is a subset of the other, if both exist.
  auto read = [&](auto range) {
    for (const llvm::object::ELFSymbolRef symbol : range) {
      if (symbol.getELFType() != llvm::ELF::STT_FUNC)
        continue;
      llvm::Expected<uint64_t> address = symbol.getAddress();
      llvm::Expected<StringRef> name = symbol.getName();
      if (address && name && !name->empty())
        object.symbols.push_back({*address, symbol.getSize(), name->str()});
      if (!address)
        llvm::consumeError(address.takeError());
      if (!name)
        llvm::consumeError(name.takeError());
    }
  };
  if (llvm::Error damage = debuginfo::checkSymbols(*elf)) {
    LLDB_LOG_ERROR(lldb_private::GetLog(lldb_private::LLDBLog::Symbols),
                   std::move(damage), "the symbols of {1} aren't read: {0}",
                   object.uri);
  } else {
    read(elf->symbols());
    if (object.symbols.empty())
      read(elf->getDynamicSymbolIterators());
  }
  llvm::sort(object.symbols, [](const Symbol &a, const Symbol &b) {
    return a.address < b.address;
  });

  llvm::Expected<llvm::object::ELF64LEFile::Elf_Phdr_Range> headers =
      elf->getELFFile().program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return;
  }
  object.machine =
      elf->getELFFile().getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH;
  for (const auto &header : *headers) {
    if (header.p_type == llvm::ELF::PT_LOAD)
      object.memory_size = std::max<uint64_t>(object.memory_size,
                                              header.p_vaddr + header.p_memsz);
  }
  object.build_id = llvm::toHex(llvm::object::getBuildID(elf));
}

//===-- Core files --------------------------------------------------------===//

namespace {
/// The contents of a code object that identify it.
struct Identity {
  std::string build_id;
  uint32_t machine;
  std::string processor; ///< "gfx90a"
};
} // namespace

static std::optional<Identity> Identify(StringRef contents) {
  auto binary = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(contents, ""));
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return std::nullopt;
  }
  auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(binary->get());
  if (!elf || elf->getELFFile().getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    return std::nullopt;
  const uint32_t flags = elf->getELFFile().getHeader().e_flags;
  const gpu::Processor *processor = gpu::findByElfFlags(flags);
  Identity identity{"", flags & llvm::ELF::EF_AMDGPU_MACH,
                    processor ? processor->Name : "an unknown GPU"};
  identity.build_id = llvm::toHex(llvm::object::getBuildID(elf));
  return identity;
}

std::string CodeObjects::FindByBuildID(StringRef build_id) {
  const std::string &folder = m_session.GetCoreFiles()->code_objects;
  if (folder.empty() || build_id.size() < 4)
    return {};
  const std::string id = build_id.lower();
  auto holds = [&](StringRef path) {
    auto file = files::mapRegular(path);
    if (!file)
      return false;
    std::optional<Identity> identity = Identify((*file)->getBuffer());
    return identity && StringRef(identity->build_id).equals_insensitive(id);
  };
  // Try the build ID's path for debug information first, then any file of the
  // folder.
  for (const char *suffix : {".debug", ""}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, ".build-id", id.substr(0, 2),
                            id.substr(2) + suffix);
    if (holds(path))
      return path.str().str();
  }
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(it->path(), status) &&
        status.type() == llvm::sys::fs::file_type::regular_file &&
        holds(it->path()))
      return it->path();
  }
  return {};
}

void CodeObjects::FindForCore(Object &object) {
  const uint64_t base = uint64_t(object.load_address);
  auto read = [this](uint64_t address, void *buffer, size_t size) {
    return m_session.ReadCore(address, buffer, size);
  };
  const std::string loaded_id = corefile::readBuildId(base, read);
  const std::string name =
      object.place.in_memory ? object.uri : object.place.path;
  std::string problem;

  // Searching memory finds the loaded image, not the file it was loaded from.
  const bool is_image = object.place.in_memory && object.place.address == base;
  std::optional<Identity> identity;
  if (!is_image) {
    identity = Identify(GetContents(object.place));
    if (!identity)
      problem = object.place.in_memory
                    ? "the core file doesn't hold that memory"
                    : "there is no such code object on this machine";
    else if (!loaded_id.empty() && identity->build_id != loaded_id) {
      identity.reset();
      problem = "the file has changed since (another build ID)";
    }
  }
  if (!identity) {
    const std::string path = FindByBuildID(loaded_id);
    if (!path.empty()) {
      object.place = {};
      object.place.path = path;
      identity = Identify(GetContents(object.place));
    }
  }
  if (!identity) {
    auto image = corefile::rebuildImage(base, read);
    if (image) {
      identity = Identify(StringRef(
          reinterpret_cast<const char *>(image->data()), image->size()));
      object.from_image = identity.has_value();
    } else if (problem.empty()) {
      problem = llvm::toString(image.takeError());
    } else {
      llvm::consumeError(image.takeError());
    }
  }
  if (!identity) {
    object.left_out = true;
    m_session.AddWarning(llvm::formatv(
        "GPU code object {0} is missing: {1}{2}", name, problem,
        loaded_id.empty()
            ? std::string("; its build ID isn't known")
            : llvm::formatv("; plugin.process.amdgpu.code-objects may name a "
                            "folder with the one of build ID {0}",
                            loaded_id)
                  .str()));
    return;
  }
  if (std::string mismatch =
          m_agents.DescribeForeignCode(identity->machine, identity->processor);
      !mismatch.empty()) {
    object.left_out = true;
    m_session.AddWarning(
        llvm::formatv("GPU code object {0} is left out: {1}", name, mismatch));
    return;
  }
  if (object.from_image)
    m_session.AddWarning(llvm::formatv(
        "GPU code object {0} is read from the core's memory, without debug "
        "information{1}{2}",
        name, problem.empty() ? "" : ": ", problem));
}

void CodeObjects::DescribeCore() {
  if (llvm::Error error = Read())
    m_session.AddWarning(llvm::toString(std::move(error)));
  else if (m_objects.empty() && m_session.IsRuntimeUp())
    m_session.AddWarning("no GPU code objects are known: the program was "
                         "changing their list, or hadn't loaded any");
}

/// The short name of "void ns::saxpy<int>(int*)" is "ns::saxpy<int>".
static std::string GetShortName(const std::string &name) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction())
    return name;
  char *text = demangler.getFunctionName(nullptr, nullptr);
  std::string result = text ? text : name;
  std::free(text);
  return result;
}

uint32_t CodeObjects::GetMachine(uint64_t address) {
  ReadIfPossible();
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    if (address - uint64_t(object.load_address) < object.memory_size)
      return object.machine;
  }
  return 0;
}

std::string CodeObjects::GetFunction(uint64_t address) {
  ReadIfPossible();
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    const uint64_t in_file = address - uint64_t(object.load_address);
    auto next = llvm::upper_bound(
        object.symbols, in_file,
        [](uint64_t value, const Symbol &s) { return value < s.address; });
    if (next == object.symbols.begin())
      continue;
    const Symbol &symbol = *std::prev(next);
    if (in_file - symbol.address < std::max<uint64_t>(symbol.size, 1))
      return GetShortName(symbol.name);
  }
  return {};
}

std::vector<uint64_t> CodeObjects::GetBarriers(uint64_t pc,
                                               std::optional<uint64_t> entry) {
  ReadIfPossible();
  std::vector<uint64_t> addresses;
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    const uint64_t bias = uint64_t(object.load_address);
    if (pc - bias >= object.memory_size)
      continue;
    if (!object.barriers) {
      object.barriers.emplace();
      const std::string contents = GetContents(object);
      auto binary = llvm::object::ObjectFile::createELFObjectFile(
          llvm::MemoryBufferRef(contents, object.uri));
      if (!binary)
        llvm::consumeError(binary.takeError());
      else if (auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(
                   binary->get()))
        object.barriers = FindBarriers(*elf);
    }
    for (const BarrierInstruction &barrier : *object.barriers)
      if (!entry || !barrier.kernel || *barrier.kernel + bias == *entry)
        addresses.push_back(barrier.address + bias);
    break;
  }
  return addresses;
}

std::vector<uint64_t> CodeObjects::GetEnds(uint64_t entry) {
  ReadIfPossible();
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    const uint64_t bias = uint64_t(object.load_address);
    if (entry - bias >= object.memory_size)
      continue;
    auto [found, is_new] = object.ends.try_emplace(entry - bias);
    if (!is_new)
      return found->second;
    const std::string contents = GetContents(object);
    auto binary = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef(contents, object.uri));
    if (!binary)
      llvm::consumeError(binary.takeError());
    else if (auto *elf =
                 llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(binary->get()))
      found->second = FindEnds(*elf, entry - bias);
    for (uint64_t &address : found->second)
      address += bias;
    return found->second;
  }
  return {};
}

gpu::ExecutingMask CodeObjects::GetExecutingMask(uint64_t address) {
  ReadIfPossible();
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    const uint64_t in_file = address - uint64_t(object.load_address);
    if (in_file >= object.memory_size)
      continue;
    const Symbol *function = FindSymbol(object, in_file);
    if (!function)
      break;
    const auto entry = object.executing_lanes.try_emplace(function->address);
    gpu::ExecutingLanes &lanes = entry.first->second;
    if (entry.second)
      WithCode(
          object, *function,
          [&](const gpu::MachineCode &code, llvm::ArrayRef<uint8_t> bytes) {
            lanes = gpu::ExecutingLanes(code, function->address, bytes);
          });
    return lanes.get(in_file);
  }
  return {};
}

std::optional<uint64_t> CodeObjects::GetInstructionBefore(uint64_t address) {
  ReadIfPossible();
  std::optional<uint64_t> before;
  for (auto &[id, object] : m_objects) {
    ReadSymbols(object);
    const auto bias = uint64_t(object.load_address);
    const uint64_t in_file = address - bias;
    if (in_file - 1 >= object.memory_size)
      continue;
    const Symbol *function = FindSymbol(object, in_file - 1);
    if (!function)
      break;
    WithCode(object, *function,
             [&](const gpu::MachineCode &code, llvm::ArrayRef<uint8_t> bytes) {
               uint64_t at = function->address, size = 0;
               for (; !bytes.empty() && at < in_file; at += size) {
                 llvm::MCInst instruction;
                 code.decode(instruction, size, bytes, at);
                 if (!size || size > bytes.size())
                   return;
                 if (at + size == in_file)
                   before = at + bias;
                 bytes = bytes.drop_front(size);
               }
             });
    break;
  }
  return before;
}

const CodeObjects::Symbol *CodeObjects::FindSymbol(const Object &object,
                                                   uint64_t in_file) {
  auto next = llvm::upper_bound(
      object.symbols, in_file,
      [](uint64_t value, const Symbol &s) { return value < s.address; });
  if (next == object.symbols.begin() ||
      in_file - std::prev(next)->address >= std::prev(next)->size)
    return nullptr;
  return &*std::prev(next);
}

void CodeObjects::WithCode(const Object &object, const Symbol &function,
                           UseCode use) {
  const gpu::Processor *processor = gpu::findByElfFlags(object.machine);
  if (!processor)
    return;
  auto code = gpu::MachineCode::create(processor->Name);
  if (!code) {
    llvm::consumeError(code.takeError());
    return;
  }
  const std::string contents = GetContents(object);
  auto binary = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(contents, object.uri));
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return;
  }
  for (const llvm::object::SectionRef &section : (*binary)->sections()) {
    llvm::Expected<StringRef> bytes = section.getContents();
    if (!bytes) {
      llvm::consumeError(bytes.takeError());
      continue;
    }
    const uint64_t offset = function.address - section.getAddress();
    if (section.isText() && offset < bytes->size())
      return use(**code, llvm::arrayRefFromStringRef(
                             bytes->substr(offset, function.size)));
  }
}

std::optional<int64_t> CodeObjects::GetLoadAddress(StringRef name) {
  ReadIfPossible();
  for (auto &[id, object] : m_objects)
    if (object.uri == name || object.place.path == name)
      return object.load_address;
  return std::nullopt;
}

} // namespace wavelane::server
