// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { describe, it } from 'node:test';
import { makeProblems, readReport } from '../src/findings';
import { listProcesses } from '../src/processes';

const race = {
  id: 2, check: 'race', kind: 'local-race', text: 'Race', variable: 'tile[3]',
  here: { kernel: 'k()', workgroup: [1, 0, 0] as [number, number, number], wave: 0, lanes: [3, 4, 5],
    frames: [{ function: '__syncthreads', file: '/usr/include/hip/x.h', line: 5 }, { file: '/src/k.hip', line: 12, column: 7 }] },
  other: { text: 'written by', workgroup: [1, 0, 0] as [number, number, number], wave: 1, lanes: [0], frames: [{ file: '/src/k.hip', line: 10 }] },
};

describe('findings', () => {
  it('are problems at the user\'s line, with the other side', () => {
    assert.deepEqual(makeProblems([race]), [{
      file: '/src/k.hip', line: 12, column: 7, text: 'Race, tile[3] (k(): workgroup (1,0,0), wave 0, lanes 3 to 5)', check: 'race', kind: 'local-race', isError: true,
      related: [{ file: '/src/k.hip', line: 10, column: 0, text: 'written by (workgroup (1,0,0), wave 1, lane 0)' }],
    }]);
  });

  it('of the host are at the host\'s call; leaks are warnings; those without a line are left out', () => {
    const host = { id: 1, check: 'memory', kind: 'leak', text: 'Leak', hostStack: [{ function: 'hipMalloc' }, { file: '/src/main.cpp', line: 3 }] };
    assert.deepEqual(makeProblems([host, { id: 3, check: 'sync', kind: 'deadlock', text: 'Deadlock' }]).map(p => [p.file, p.line, p.isError]), [['/src/main.cpp', 3, false]]);
  });

  it('are read from a report of wavelane-run', () => {
    assert.deepEqual(readReport(JSON.stringify({ version: 1, devices: [{ findings: [race] }, {}] })), [race]);
    assert.throws(() => readReport('{}'), /no findings of wavelane-run/);
    assert.throws(() => readReport('{'), SyntaxError);
  });
});

it('processes include this one', () => {
  const own = listProcesses().find(one => one.pid === process.pid);
  assert.equal(own?.name, fs.readFileSync('/proc/self/comm', 'utf8').trim());
});
