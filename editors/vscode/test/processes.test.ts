// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { listProcesses } from '../src/processes';

test('processes to attach to: programs, the newest first', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'wavelane-'));
  const add = (pid: string, name: string, command: string): void => {
    fs.mkdirSync(path.join(root, pid));
    fs.writeFileSync(path.join(root, pid, 'comm'), `${name}\n`);
    fs.writeFileSync(path.join(root, pid, 'cmdline'), command);
  };
  add('7', 'saxpy', './saxpy\0-n\0');
  add('8', 'wavelane-gpu', 'wavelane-gpu --socket 3');
  add('9', 'kthreadd', '');
  add('12', 'sum', './sum\0');
  add('self', 'sum', './sum\0');
  assert.deepEqual(listProcesses(root), [{ pid: 12, name: 'sum', command: './sum' }, { pid: 7, name: 'saxpy', command: './saxpy -n' }]);
  fs.rmSync(root, { recursive: true });
});
