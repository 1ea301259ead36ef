// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `generate` writes this file.
/** The words of 'checks'. */
export const checks = ['memory', 'race', 'init', 'sync', 'wait', 'float', 'all'];
/** The words of 'gpu' beside the names of GPUs. */
export const devices = ['auto', 'simulated', 'hardware'];
/** The words of 'runtime'. */
export const runtimes = ['auto', 'amd', 'wavelane'];
