//===-- FatalLibrary.cpp - A debug library that fails in the middle -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wavelane's own library, except that reading a register is a fatal error from
// the tenth time on.
//
//===----------------------------------------------------------------------===//

#include "wavelane/DebugAPI/Library.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

// Every function jumps to the real one.
#define FORWARD(name) FORWARD_EXPANDED(name)
#define FORWARD_EXPANDED(name)                                                 \
  extern "C" {                                                                 \
  __attribute__((visibility("hidden"))) void *real_##name;                     \
  }                                                                            \
  asm(".text\n.globl amd_dbgapi_" #name "\n.type amd_dbgapi_" #name            \
      ", @function\namd_dbgapi_" #name ": jmp *real_" #name "(%rip)\n");
#define read_register read_register_of_ours
WAVELANE_DBGAPI_FUNCTIONS(FORWARD)
#undef read_register
FORWARD(set_alu_exceptions_precision)
FORWARD(convert_address_space)
FORWARD(address_dependency)

static decltype(&amd_dbgapi_read_register) readRegister;

extern "C" amd_dbgapi_status_t
amd_dbgapi_read_register(amd_dbgapi_wave_id_t wave, amd_dbgapi_register_id_t id,
                         amd_dbgapi_size_t offset, amd_dbgapi_size_t size,
                         void *value) {
  static int calls;
  if (++calls >= 10)
    return AMD_DBGAPI_STATUS_FATAL;
  return readRegister(wave, id, offset, size, value);
}

__attribute__((constructor)) static void load() {
  void *library = dlopen(WAVELANE_TEST_LIBRARY, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
#define LOAD(name) LOAD_EXPANDED(name)
#define LOAD_EXPANDED(name) real_##name = dlsym(library, "amd_dbgapi_" #name);
#define read_register read_register_of_ours
  WAVELANE_DBGAPI_FUNCTIONS(LOAD)
#undef read_register
  LOAD(set_alu_exceptions_precision)
  LOAD(convert_address_space)
  LOAD(address_dependency)
  readRegister = reinterpret_cast<decltype(readRegister)>(
      dlsym(library, "amd_dbgapi_read_register"));
}
