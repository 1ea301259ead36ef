// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tseslint from 'typescript-eslint';

export default tseslint.config(
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './webview/tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      // node:test's functions return promises that it waits for itself.
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'it', 'describe'] }] }],
    },
  },
);
