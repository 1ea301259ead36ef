//===-- CodeObjectList.h - The code objects of a program --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_CODEOBJECTLIST_H
#define WAVELANE_DEBUGLIBRARY_CODEOBJECTLIST_H

#include "Memory.h"
#include "Objects.h"

namespace wavelane::library {

/// Brings the code objects up to date with the runtime's list (r_debug).
/// \param[out] consistent  False if the list was being changed: nothing was
/// read.
Status readCodeObjects(ProgramMemory &Memory, const ProcessFacts &Facts,
                       Objects &List, bool &Consistent);

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_CODEOBJECTLIST_H
