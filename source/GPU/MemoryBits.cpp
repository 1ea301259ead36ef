//===-- MemoryBits.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/MemoryBits.h"

#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;
using namespace wavelane::gpu;

/// The bits of a type's word in a name of gfx9: "dwordx2", "ubyte", "b64".
static unsigned typeBitsOf(StringRef Word) {
  unsigned Count = 1, Bits = 0;
  if (Word.consume_front("dword"))
    return Word.empty() ||
                   (Word.consume_front("x") && !Word.getAsInteger(10, Count))
               ? 32 * Count
               : 0;
  if (!Word.consume_front("bf") && !Word.empty() &&
      StringRef("bfiu").contains(Word.front()) && Word != "byte")
    Word = Word.drop_front();
  if (!Word.getAsInteger(10, Bits))
    return Bits;
  return llvm::StringSwitch<unsigned>(Word)
      .Cases({"byte", "sbyte"}, 8)
      .Cases({"short", "sshort"}, 16)
      .Default(0);
}

unsigned wavelane::gpu::getMemoryBits(const InstructionFacts &Facts) {
  const StringRef Name = Facts.Name;
  if (Facts.Memory == MemoryOperation::None ||
      Facts.Unit == InstructionUnit::Image || Name.contains("_format_"))
    return 0;
  llvm::SmallVector<StringRef, 8> Words;
  Name.split(Words, '_');
  unsigned Bits = 0;
  for (StringRef Word : Words)
    if (!Bits)
      Bits = typeBitsOf(Word);
  const bool IsPacked = llvm::is_contained(Words, "pk");
  if (Facts.Unit == InstructionUnit::Local)
    // Two places, or one with two values.
    return IsPacked || Name.starts_with("ds_read2") ||
                   Name.starts_with("ds_write2") ||
                   Name.starts_with("ds_wrxchg2")
               ? 2 * Bits
               : Bits;
  if (Facts.Memory != MemoryOperation::Atomic)
    return Bits;
  if (IsPacked)
    return 32;
  return llvm::is_contained(Words, "x2") ? 64 : Bits ? Bits : 32;
}
