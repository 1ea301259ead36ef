//===-- WebHelp.cpp - wavelane help --web ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WebHelp.h"
#include "Installation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace wavelane::command {

/// A path as the URL of a file.
static std::string toURL(StringRef Path) {
  std::string URL = "file://";
  for (const char C : Path)
    if (isAlnum(C) || StringRef("/-._~").contains(C))
      URL += C;
    else
      URL += "%" + toHex(StringRef(&C, 1));
  return URL;
}

/// $BROWSER, or the desktop's; empty without a screen.
static std::string findBrowser() {
  const auto Has = [](const char *Name) {
    const char *Value = getenv(Name);
    return Value && *Value;
  };
  if (Has("BROWSER"))
    if (ErrorOr<std::string> Found = sys::findProgramByName(
            StringRef(getenv("BROWSER")).split(':').first))
      return *Found;
  if (!Has("DISPLAY") && !Has("WAYLAND_DISPLAY"))
    return {};
  const ErrorOr<std::string> Found = sys::findProgramByName("xdg-open");
  return Found ? *Found : std::string();
}

int openPages() {
  // In a build, and where the package has them.
  std::string Page;
  for (const char *Place :
       {"/site/index.html", "/../../share/doc/wavelane/html/index.html"}) {
    SmallString<256> Real;
    if (Page.empty() && !sys::fs::real_path(ownFolder() + Place, Real))
      Page = Real.str().str();
  }
  if (Page.empty()) {
    WithColor::error(errs(), "wavelane help")
        << "the pages aren't there: 'ninja wavelane-site' makes them in a "
           "build (with Debian's mkdocs), and packages have them\n";
    return 1;
  }
  const std::string URL = toURL(Page);
  outs() << URL << '\n';
  outs().flush();
  const std::string Browser = findBrowser();
  if (Browser.empty())
    return 0;
  std::string Error;
  sys::ExecuteNoWait(Browser, {Browser, URL}, std::nullopt, {}, 0, &Error);
  if (Error.empty())
    return 0;
  WithColor::error(errs(), "wavelane help") << Browser << ": " << Error << '\n';
  return 1;
}

} // namespace wavelane::command
