//===-- TranslateOption.h - whether GPU code is translated ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_DEVICE_TRANSLATEOPTION_H
#define WAVELANE_PROTOCOL_DEVICE_TRANSLATEOPTION_H

namespace wavelane::simulator {

/// A value of TranslateVariable: code is translated into the host's, and each
/// piece is compared with the interpreter before it runs.
constexpr char VerifyTranslation[] = "verify";

} // namespace wavelane::simulator

#endif // WAVELANE_PROTOCOL_DEVICE_TRANSLATEOPTION_H
