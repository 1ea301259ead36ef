//===-- AssignmentReader.h - the assignments of a function ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_SOURCEFACTS_ASSIGNMENTREADER_H
#define WAVELANE_SOURCE_SOURCEFACTS_ASSIGNMENTREADER_H

#include "wavelane/SourceFacts/Assignments.h"
#include "clang/AST/ASTContext.h"

namespace wavelane::source {

/// The variables of a function that are assigned to more than once.
/// \param[in] Definition  It has a body, and isn't a template.
/// \param[out] Flow  The order of its statements.
std::vector<AssignedVariable>
readAssignments(clang::ASTContext &Context,
                const clang::FunctionDecl &Definition, ControlFlow &Flow);

} // namespace wavelane::source

#endif // WAVELANE_SOURCE_SOURCEFACTS_ASSIGNMENTREADER_H
