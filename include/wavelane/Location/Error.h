//===-- Error.h - why an evaluation failed ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_ERROR_H
#define WAVELANE_LOCATION_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace wavelane::location {

enum class ErrorKind {
  /// The expression itself is wrong: wrong kinds, too few entries, bad
  /// operands.
  IllFormed,
  /// The expression is valid, but something it needs can't be read or doesn't
  /// exist.
  Evaluation,
  /// It needs a fact that the context lacks.
  MissingContext,
  /// It exceeds a limit of EvaluationOptions.
  Limit,
};

/// The error type of this library.
class LocationError : public llvm::ErrorInfo<LocationError> {
public:
  static char ID;
  LocationError(ErrorKind Kind, std::string Message)
      : Kind(Kind), Message(std::move(Message)) {}
  ErrorKind getKind() const { return Kind; }
  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  ErrorKind Kind;
  std::string Message;
};

inline llvm::Error makeError(ErrorKind Kind, const llvm::Twine &Message) {
  return llvm::make_error<LocationError>(Kind, Message.str());
}
inline llvm::Error illFormed(const llvm::Twine &Message) {
  return makeError(ErrorKind::IllFormed, Message);
}
inline llvm::Error failed(const llvm::Twine &Message) {
  return makeError(ErrorKind::Evaluation, Message);
}
inline llvm::Error missing(const llvm::Twine &What) {
  return makeError(ErrorKind::MissingContext, "the context has no " + What);
}

/// The error for entries that need each other, most likely in a circle.
/// \param Offset  The offset of the last entry.
inline llvm::Error nestedTooDeeply(const llvm::Twine &What, uint64_t Offset) {
  return makeError(ErrorKind::Limit,
                   What +
                       " are nested too deeply, the last to the entry at 0x" +
                       llvm::Twine::utohexstr(Offset));
}

} // namespace wavelane::location

#endif
