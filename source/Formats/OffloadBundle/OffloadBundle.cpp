//===-- OffloadBundle.cpp - Code objects in a program's file --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "wavelane/MemoryLimit/MemoryShare.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MD5.h"
#include <algorithm>
#include <zlib.h>
#include <zstd.h>

using namespace llvm;

namespace wavelane::offload {

static constexpr StringLiteral PlainMagic = "__CLANG_OFFLOAD_BUNDLE__";
static constexpr StringLiteral CompressedMagic = "CCOB";

namespace {

Error fail(const Twine &Text) {
  return createStringError(inconvertibleErrorCode(),
                           "the offload bundle " + Text);
}

/// Reads from the front of some bytes.
class Reader {
public:
  explicit Reader(StringRef Data) : Rest(Data) {}

  /// \return False if fewer bytes are left.
  bool take(uint64_t Size, StringRef &Out) {
    if (Size > Rest.size())
      return false;
    Out = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return true;
  }
  /// A little-endian number of \p Bytes bytes.
  bool number(unsigned Bytes, uint64_t &Out) {
    StringRef Raw;
    if (!take(Bytes, Raw))
      return false;
    Out = 0;
    for (unsigned I = 0; I < Bytes; ++I)
      Out |= uint64_t(uint8_t(Raw[I])) << 8 * I;
    return true;
  }
  StringRef rest() const { return Rest; }

private:
  StringRef Rest;
};

/// The header of a compressed bundle.
struct Header {
  uint64_t Version = 0, Method = 0;
  uint64_t FileSize =
      0; ///< of the whole bundle; 0 in version 1, which lacks it
  uint64_t ContentsSize = 0;
  uint64_t Hash = 0; ///< the low half of the contents' MD5
};

enum Method : uint64_t { Zlib = 0, Zstd = 1 };

} // namespace

/// Decompresses into all of \p Out.
/// \return The number of bytes of \p Data that were used.
static Expected<uint64_t> decompressZstd(StringRef Data,
                                         MutableArrayRef<char> Out) {
  const size_t Frame = ZSTD_findFrameCompressedSize(Data.data(), Data.size());
  if (ZSTD_isError(Frame))
    return fail(Twine("can't be decompressed: ") + ZSTD_getErrorName(Frame));
  const size_t Size =
      ZSTD_decompress(Out.data(), Out.size(), Data.data(), Frame);
  if (ZSTD_isError(Size))
    return fail(Twine("can't be decompressed: ") + ZSTD_getErrorName(Size));
  if (Size != Out.size())
    return fail("is damaged: it has " + Twine(Size) +
                " bytes, and its header says " + Twine(Out.size()));
  return Frame;
}

static Expected<uint64_t> decompressZlib(StringRef Data,
                                         MutableArrayRef<char> Out) {
  uLongf Size = Out.size();
  uLong Taken = Data.size();
  const int Status =
      uncompress2(reinterpret_cast<Bytef *>(Out.data()), &Size,
                  reinterpret_cast<const Bytef *>(Data.data()), &Taken);
  if (Status != Z_OK)
    return fail(Twine("can't be decompressed: ") + zError(Status));
  if (Size != Out.size())
    return fail("is damaged: it has " + Twine(uint64_t(Size)) +
                " bytes, and its header says " + Twine(Out.size()));
  return Taken;
}

static Expected<Header> readHeader(Reader &In) {
  Header H;
  auto Truncated = [] {
    return fail("is truncated: its header is incomplete");
  };
  if (!In.number(2, H.Version) || !In.number(2, H.Method))
    return Truncated();
  if (H.Version < 1 || H.Version > 3)
    return fail("is compressed in format version " + Twine(H.Version) +
                ", which is unknown (1 to 3 are known)");
  const unsigned Width = H.Version == 3 ? 8 : 4;
  if ((H.Version > 1 && !In.number(Width, H.FileSize)) ||
      !In.number(Width, H.ContentsSize) || !In.number(8, H.Hash))
    return Truncated();
  if (H.Method != Zlib && H.Method != Zstd)
    return fail("is compressed by method " + Twine(H.Method) +
                ", which is unknown (0, zlib, and 1, zstd, are known)");
  return H;
}

/// Decompresses the bundle at the beginning of \p Data; \p Size becomes its
/// size in \p Data.
static Expected<std::unique_ptr<MemoryBuffer>> decompress(StringRef Data,
                                                          uint64_t &Size) {
  Reader In(Data.drop_front(CompressedMagic.size()));
  Expected<Header> H = readHeader(In);
  if (!H)
    return H.takeError();
  const uint64_t HeaderSize = Data.size() - In.rest().size();
  StringRef Packed = In.rest();
  if (H->Version > 1) {
    if (H->FileSize < HeaderSize)
      return fail("is damaged: its header says that it has " +
                  Twine(H->FileSize) + " bytes");
    if (H->FileSize > Data.size())
      return fail("is truncated: " + Twine(Data.size()) + " of " +
                  Twine(H->FileSize) + " bytes are there");
    Packed = Packed.take_front(H->FileSize - HeaderSize);
  }
  // Neither method expands a byte by more: a zstd block of 4 bytes gives at
  // most 128 KiB.
  constexpr uint64_t MaxRatio = 128 * 1024 / 4;
  if (H->ContentsSize / MaxRatio > Packed.size())
    return fail("is damaged: its header says that " + Twine(Packed.size()) +
                " bytes hold " + Twine(H->ContentsSize));
  if (H->ContentsSize > memorylimit::contentsShare())
    return fail("isn't read: its header says that it has " +
                Twine(H->ContentsSize >> 20) + " MiB, and " +
                Twine(memorylimit::contentsShare() >> 20) +
                " are the most on this machine");
  std::unique_ptr<WritableMemoryBuffer> Out =
      WritableMemoryBuffer::getNewUninitMemBuffer(H->ContentsSize);
  if (!Out)
    return fail("needs " + Twine(H->ContentsSize) +
                " bytes of memory, which aren't available");
  Expected<uint64_t> Taken = H->Method == Zstd
                                 ? decompressZstd(Packed, Out->getBuffer())
                                 : decompressZlib(Packed, Out->getBuffer());
  if (!Taken)
    return Taken.takeError();
  MD5 Hash;
  Hash.update(StringRef(Out->getBufferStart(), Out->getBufferSize()));
  if (Hash.final().low() != H->Hash)
    return fail("is damaged: its contents don't have the hash that its header "
                "says");
  Size = H->Version > 1 ? H->FileSize : HeaderSize + *Taken;
  return std::move(Out);
}

StringRef Entry::getTargetId() const {
  StringRef Rest = Id.split("amdgcn-amd-amdhsa-").second;
  // The triple's environment, which older compilers leave out.
  if (!Rest.starts_with("gfx"))
    Rest = Rest.split('-').second;
  return Rest;
}

Error Bundle::readEntries(StringRef Data) {
  Reader In(Data.drop_front(PlainMagic.size()));
  uint64_t Count;
  if (!In.number(8, Count))
    return fail("is truncated: its header is incomplete");
  uint64_t End = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Offset, EntrySize, IdSize;
    Entry E;
    if (!In.number(8, Offset) || !In.number(8, EntrySize) ||
        !In.number(8, IdSize) || !In.take(IdSize, E.Id))
      return fail("is truncated: entry " + Twine(I) + " of " + Twine(Count) +
                  " is incomplete");
    if (Offset > Data.size() || EntrySize > Data.size() - Offset)
      return fail("is truncated: the code object for " + E.Id +
                  " ends beyond it");
    E.Contents = Data.substr(Offset, EntrySize);
    End = std::max(End, Offset + EntrySize);
    Entries.push_back(E);
  }
  Size = std::max<uint64_t>(End, Data.size() - In.rest().size());
  return Error::success();
}

std::vector<std::string> Bundle::getTargetIds() const {
  std::vector<std::string> Targets;
  for (const Entry &E : Entries)
    if (StringRef Target = E.getTargetId(); !Target.empty())
      Targets.push_back(Target.str());
  return Targets;
}

Expected<Bundle> Bundle::read(StringRef Data) {
  Bundle Result;
  if (Data.starts_with(PlainMagic)) {
    if (Error E = Result.readEntries(Data))
      return std::move(E);
    return std::move(Result);
  }
  if (!Data.starts_with(CompressedMagic))
    return createStringError(inconvertibleErrorCode(),
                             "there is no offload bundle");
  uint64_t Size = 0;
  Expected<std::unique_ptr<MemoryBuffer>> Contents = decompress(Data, Size);
  if (!Contents)
    return Contents.takeError();
  Result.Contents = std::move(*Contents);
  if (!Result.Contents->getBuffer().starts_with(PlainMagic))
    return fail("has something other than code objects in it");
  if (Error E = Result.readEntries(Result.Contents->getBuffer()))
    return std::move(E);
  Result.Size = Size;
  return std::move(Result);
}

bool isBundle(StringRef Data) {
  return Data.starts_with(PlainMagic) || Data.starts_with(CompressedMagic);
}

void readBundles(StringRef Section,
                 function_ref<void(uint64_t Offset, Expected<Bundle>)> Found) {
  for (uint64_t At = 0; At < Section.size();) {
    const StringRef Rest = Section.substr(At);
    const uint64_t Skip =
        std::min(Rest.find(PlainMagic), Rest.find(CompressedMagic));
    if (Skip == StringRef::npos)
      return;
    Expected<Bundle> Read = Bundle::read(Rest.drop_front(Skip));
    At += Skip;
    const uint64_t Size = Read ? Read->size() : CompressedMagic.size();
    Found(std::exchange(At, At + Size), std::move(Read));
  }
}

} // namespace wavelane::offload
