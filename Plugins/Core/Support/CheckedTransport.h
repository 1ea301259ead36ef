//===-- CheckedTransport.h - messages of any origin -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_CORE_SUPPORT_CHECKEDTRANSPORT_H
#define WAVELANE_PLUGINS_CORE_SUPPORT_CHECKEDTRANSPORT_H

#include "lldb/Host/JSONTransport.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "llvm/ADT/STLExtras.h"

namespace lldb_private {
namespace wavelane {

/// An IOTransport of LLDB's, \p Base, whose client may send anything. LLDB's
/// drops what came together with a message that isn't JSON or not of the
/// protocol, and thousands of brackets end its stack. This one reports
/// such a message to its handler, and continues with the next.
template <typename Base> class CheckedTransport : public Base {
public:
  using Base::Base;
  using typename Base::Message;
  using typename Base::MessageHandler;

  llvm::Expected<MainLoop::ReadHandleUP>
  RegisterMessageHandler(MainLoop &loop, MessageHandler &handler) override {
    m_handler = &handler;
    return Base::RegisterMessageHandler(loop, handler);
  }

protected:
  llvm::Expected<std::vector<std::string>> Parse() override {
    llvm::Expected<std::vector<std::string>> messages = Base::Parse();
    if (messages)
      llvm::erase_if(*messages, [this](const std::string &text) {
        llvm::Error wrong = Check(text);
        const bool is_wrong = bool(wrong);
        if (is_wrong)
          m_handler->OnError(std::move(wrong));
        return is_wrong;
      });
    return messages;
  }

private:
  static llvm::Error Check(llvm::StringRef text) {
    if (::wavelane::isJSONTooDeep(text))
      return llvm::createStringError("the message is nested too deeply");
    return llvm::json::parse<Message>(text).takeError();
  }

  MessageHandler *m_handler = nullptr;
};

} // namespace wavelane
} // namespace lldb_private

#endif
