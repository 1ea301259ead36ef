//===-- LibraryCode.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibraryCode.h"

#include "lldb/Core/Address.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegularExpression.h"

#include <mutex>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
/// Shared by all debuggers, like the setting.
struct LibraryFiles {
  std::mutex mutex;
  RegularExpression regex{kDefaultLibraryFiles};
};
} // namespace

// It isn't destroyed: threads may outlive the end of main.
static LibraryFiles &GetLibraryFiles() {
  static LibraryFiles &files = *new LibraryFiles;
  return files;
}

void lldb_private::wavelane::SetLibraryFiles(llvm::StringRef regex) {
  LibraryFiles &files = GetLibraryFiles();
  std::lock_guard<std::mutex> guard(files.mutex);
  files.regex = RegularExpression(regex);
}

bool lldb_private::wavelane::IsLibraryFile(const FileSpec &file) {
  if (!file)
    return false;
  LibraryFiles &files = GetLibraryFiles();
  std::lock_guard<std::mutex> guard(files.mutex);
  return !files.regex.GetText().empty() && files.regex.IsValid() &&
         files.regex.Execute(file.GetPath());
}

/// Whether there are any such files for the user.
static bool HidesLibraries() {
  LibraryFiles &files = GetLibraryFiles();
  std::lock_guard<std::mutex> guard(files.mutex);
  return !files.regex.GetText().empty() && files.regex.IsValid();
}

bool lldb_private::wavelane::IsLibraryCode(StackFrame &frame) {
  const LineEntry &line =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  if (line.IsValid())
    return IsLibraryFile(line.GetFile());
  // The compiler's libraries have no lines: names with two underscores aren't
  // the user's.
  return HidesLibraries() &&
         llvm::StringRef(frame.GetFunctionName()).starts_with("__");
}

StackFrameSP lldb_private::wavelane::GetOwnFrame(Thread &thread,
                                                 uint32_t from) {
  // Calls in headers are shallow.
  constexpr uint32_t kMaxFrames = 64;
  StackFrameSP first_sp = thread.GetStackFrameAtIndex(from);
  StackFrameSP frame_sp = first_sp;
  for (uint32_t i = 1; frame_sp && i <= kMaxFrames; ++i) {
    if (!IsLibraryCode(*frame_sp))
      return frame_sp;
    frame_sp = thread.GetStackFrameAtIndex(from + i);
  }
  return first_sp;
}

void lldb_private::wavelane::ClimbToOwnCode(const Address &address,
                                            SymbolContext &context) {
  SymbolContext at = context;
  Address current = address;
  while (at.line_entry.IsValid() && IsLibraryFile(at.line_entry.GetFile())) {
    SymbolContext parent;
    Address parent_address;
    if (!at.GetParentOfInlinedScope(current, parent, parent_address))
      return;
    at = parent;
    current = parent_address;
  }
  context = at;
}
