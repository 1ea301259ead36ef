//===-- Words.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CommandLine/Words.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace wavelane::words {

/// Whether two neighboring letters have changed places.
static bool isSwapped(StringRef Word, StringRef Known) {
  if (Word.size() != Known.size())
    return false;
  std::string Mended = Word.lower();
  for (size_t I = 0; I + 1 < Mended.size(); ++I)
    if (Mended[I] != toLower(Known[I])) {
      std::swap(Mended[I], Mended[I + 1]);
      break;
    }
  return Mended == Known.lower();
}

StringRef nearest(StringRef Word, ArrayRef<StringRef> Valid) {
  StringRef Found;
  // A third of its letters may be wrong; one of a short word.
  unsigned Most = std::max<unsigned>(unsigned(Word.size()) / 3, 1);
  for (StringRef Known : Valid) {
    const unsigned Distance =
        Word.lower() == Known.lower() ? 0
        : isSwapped(Word, Known)
            ? 1
            : Word.edit_distance_insensitive(Known, true, Most);
    // Of those that are as near, the rest of one may not be typed yet.
    const bool IsBetter = Distance < Most || Found.empty() ||
                          (Known.starts_with_insensitive(Word) &&
                           !Found.starts_with_insensitive(Word));
    if (Distance > Most || !IsBetter)
      continue;
    Found = Known;
    Most = Distance;
  }
  return Word.size() > 1 ? Found : StringRef();
}

std::string didYouMean(StringRef Word, ArrayRef<StringRef> Valid) {
  const StringRef Known = nearest(Word, Valid);
  if (Known.empty())
    return "";
  return "; did you mean '" + Known.str() + "'?";
}

std::string join(ArrayRef<StringRef> Valid, StringRef Last) {
  std::string Out;
  for (size_t I = 0; I < Valid.size(); ++I) {
    if (I)
      Out += I + 1 < Valid.size() ? ", " : " " + Last.str() + " ";
    Out += Valid[I];
  }
  return Out;
}

} // namespace wavelane::words
