//===-- Places.cpp --------------------------------------------*- C++ -*-===//

#include "Places.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static llvm::Error PastTheEnd(const char *what) {
  return llvm::createStringError("the object goes past the end of %s", what);
}

static llvm::Error OptimizedOut() {
  return llvm::createStringError(
      "no location, value may have been optimized out");
}

llvm::Error Place::Read(const FrameFacts &facts, uint64_t at,
                        llvm::MutableArrayRef<uint8_t> into) const {
  switch (kind) {
  case eMemory:
    return facts.ReadMemory(number, lane, offset + at, into);
  case eRegister: {
    llvm::Expected<llvm::SmallVector<uint8_t, 64>> whole =
        facts.ReadRegister(number);
    if (!whole)
      return whole.takeError();
    const uint64_t first = offset + at;
    if (first > whole->size() || into.size() > whole->size() - first)
      return PastTheEnd("its register");
    std::copy_n(whole->begin() + first, into.size(), into.begin());
    return llvm::Error::success();
  }
  case eBytes: {
    const uint64_t first = offset + at;
    if (first > bytes.size() || into.size() > bytes.size() - first)
      return PastTheEnd("its value");
    std::copy_n(bytes.begin() + first, into.size(), into.begin());
    return llvm::Error::success();
  }
  case eUndefined:
    break;
  }
  return OptimizedOut();
}

llvm::Error Place::Write(const FrameFacts &facts, uint64_t at,
                         llvm::ArrayRef<uint8_t> from) const {
  switch (kind) {
  case eMemory:
    return facts.WriteMemory(number, lane, offset + at, from);
  case eRegister:
    return facts.WriteRegister(number, offset + at, from);
  case eBytes:
    return llvm::createStringError(
        "the program holds this value nowhere, so it can't be changed");
  case eUndefined:
    break;
  }
  return llvm::createStringError(
      "the value has been optimized out, so it can't be changed");
}

std::string Place::Describe(const FrameFacts &facts) const {
  switch (kind) {
  case eMemory: {
    static const char *const g_names[] = {"memory", "generic", "region",
                                          "local",  nullptr,   "private_lane",
                                          "private_wave"};
    const char *name = number < std::size(g_names) ? g_names[number] : nullptr;
    std::string text = name ? std::string(name)
                            : llvm::formatv("address space {0}", number).str();
    text += llvm::formatv(number ? "#{0:x}" : " {0:x}", offset).str();
    if (number == eSpacePrivateLane || number == eSpaceGeneric)
      text += llvm::formatv(" of lane {0}", lane).str();
    return text;
  }
  case eRegister:
    return offset
               ? llvm::formatv("byte {0} of register {1}", offset,
                               facts.GetRegisterName(number))
                     .str()
               : "register " + facts.GetRegisterName(number);
  case eBytes:
    return "the value " +
           llvm::toHex(llvm::ArrayRef<uint8_t>(bytes).drop_front(
                           std::min<size_t>(offset, bytes.size())),
                       /*LowerCase=*/true) +
           " itself";
  case eUndefined:
    break;
  }
  return "nowhere (optimized out)";
}

bool Places::IsUndefined() const {
  for (const Part &part : parts)
    if (part.place.kind != Place::eUndefined)
      return false;
  return true;
}

template <typename Access>
llvm::Error Places::ForEachPart(uint64_t at, uint64_t size,
                                Access access) const {
  uint64_t done = 0;
  for (const Part &part : parts) {
    if (done == size)
      break;
    if (at >= part.size) {
      at -= part.size;
      continue;
    }
    const uint64_t count = std::min(size - done, part.size - at);
    if (llvm::Error error = access(part.place, at, done, count))
      return error;
    done += count;
    at = 0;
  }
  if (done != size)
    return PastTheEnd("its location");
  return llvm::Error::success();
}

llvm::Error Places::Read(const FrameFacts &facts, uint64_t at,
                         llvm::MutableArrayRef<uint8_t> into) const {
  return ForEachPart(at, into.size(),
                     [&](const Place &place, uint64_t at, uint64_t done,
                         uint64_t count) {
                       return place.Read(facts, at, into.slice(done, count));
                     });
}

llvm::Error Places::Write(const FrameFacts &facts, uint64_t at,
                          llvm::ArrayRef<uint8_t> from) const {
  return ForEachPart(at, from.size(),
                     [&](const Place &place, uint64_t at, uint64_t done,
                         uint64_t count) {
                       return place.Write(facts, at, from.slice(done, count));
                     });
}

llvm::Error Places::Advance(const FrameFacts &facts, int64_t bytes) {
  if (IsSingle()) {
    Place &place = parts[0].place;
    if (place.kind == Place::eUndefined)
      return llvm::Error::success();
    const uint64_t to = place.offset + uint64_t(bytes);
    uint64_t size = ~uint64_t(0);
    if (place.kind == Place::eBytes)
      size = place.bytes.size();
    else if (place.kind == Place::eRegister) {
      llvm::Expected<uint64_t> of_register =
          facts.GetRegisterSize(place.number);
      if (!of_register)
        return of_register.takeError();
      size = *of_register;
    }
    if ((bytes < 0 && uint64_t(-bytes) > place.offset) || to >= size)
      return llvm::createStringError("the offset %" PRId64
                                     " leaves the location's storage",
                                     bytes);
    place.offset = to;
    return llvm::Error::success();
  }
  if (bytes < 0)
    return llvm::createStringError(
        "the offset %" PRId64 " leaves the composite location", bytes);
  uint64_t left = uint64_t(bytes);
  while (!parts.empty() && left >= parts[0].size) {
    left -= parts[0].size;
    parts.erase(parts.begin());
  }
  if (parts.empty())
    return llvm::createStringError(
        "the offset %" PRId64 " leaves the composite location", bytes);
  parts[0].place.offset += left;
  if (parts[0].size != ~uint64_t(0))
    parts[0].size -= left;
  return llvm::Error::success();
}

std::string Places::Describe(const FrameFacts &facts) const {
  if (IsSingle())
    return parts[0].place.Describe(facts);
  std::string text;
  uint64_t at = 0;
  for (const Part &part : parts) {
    text += text.empty() ? "" : "; ";
    if (part.size == ~uint64_t(0))
      text += llvm::formatv("bytes {0} and on: ", at).str();
    else if (part.size)
      text += llvm::formatv("bytes {0}-{1}: ", at, at + part.size - 1).str();
    text += part.place.Describe(facts);
    at += part.size;
  }
  return text;
}

size_t PlacesObject::Read(Process &, uint64_t offset, void *buf, size_t size,
                          Status &error) {
  if (llvm::Error failure = m_places.Read(
          m_facts, offset,
          llvm::MutableArrayRef<uint8_t>(static_cast<uint8_t *>(buf), size))) {
    error.SetErrorString(llvm::toString(std::move(failure)));
    return 0;
  }
  return size;
}

size_t PlacesObject::Write(Process &, uint64_t offset, const void *buf,
                           size_t size, Status &error) {
  if (llvm::Error failure = m_places.Write(
          m_facts, offset,
          llvm::ArrayRef<uint8_t>(static_cast<const uint8_t *>(buf), size))) {
    error.SetErrorString(llvm::toString(std::move(failure)));
    return 0;
  }
  return size;
}
