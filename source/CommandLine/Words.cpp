//===-- Words.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CommandLine/Words.h"

#include <algorithm>

using namespace llvm;

namespace wavelane::words {

StringRef nearest(StringRef Word, ArrayRef<StringRef> Valid) {
  StringRef Found;
  // A third of its letters may be wrong; one of a short word.
  unsigned Most = std::max<unsigned>(unsigned(Word.size()) / 3, 1);
  for (StringRef Known : Valid) {
    const unsigned Distance =
        Word.lower() == Known.lower()
            ? 0
            : Word.edit_distance_insensitive(Known, true, Most);
    if (Distance > Most || (Distance == Most && !Found.empty()))
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
