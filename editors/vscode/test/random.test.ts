// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch.json or a report may be, made by chance: it is taken, or refused with a reason.
import * as assert from 'node:assert/strict';
import { it } from 'node:test';
import { BadConfiguration, checksOf, complete, type Configuration } from '../src/configuration';
import { makeProblems, readReport } from '../src/findings';

/** The same numbers each time (Numerical Recipes' generator). */
class Chance {
  constructor(private state: number) {}
  below(limit: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state % limit;
  }
  choose<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }
}

const TEXTS = ['', '0', '4711', 'gfx90a', 'gfx90a,gfx1100', 'gfx90a; quit', 'simulated', 'amd', 'memory,race', 'a=b', '/saxpy', '\n', '__proto__', 'constructor', '\u0000', '\ud800'];
const KEYS = ['gpu', 'runtime', 'core', 'checks', 'initCommands', 'env', 'pid', 'job', 'program', 'launchCommands', 'attachCommands', 'coreFile', 'waitFor', '__proto__', 'toString'];

function value(chance: Chance, depth = 2): unknown {
  const kind = chance.below(depth ? 9 : 7);
  if (kind < 3)
    return chance.choose(TEXTS);
  if (kind < 7)
    return chance.choose<unknown>([null, undefined, true, false, 0, -1, 1.5, NaN, 2 ** 53]);
  const count = chance.below(4);
  if (kind === 7)
    return Array.from({ length: count }, () => value(chance, depth - 1));
  return Object.fromEntries(Array.from({ length: count }, () => [chance.choose(TEXTS), value(chance, depth - 1)]));
}

/** Another value somewhere in an object. */
function spoil(chance: Chance, all: Record<string, unknown>): void {
  let at = all;
  for (;;) {
    const key = chance.choose(Object.keys(at));
    const inner = at[key];
    if (typeof inner === 'object' && inner !== null && Object.keys(inner).length && chance.below(4)) {
      at = inner as Record<string, unknown>;
    } else {
      at[key] = value(chance);
      return;
    }
  }
}

it('20,000 configurations', () => {
  const chance = new Chance(1);
  for (let at = 0; at < 20000; ++at) {
    const config: Configuration = { type: 'wavelane', request: chance.choose(['launch', 'attach', 'fly']), name: 'test' };
    for (let count = chance.below(6); count; --count)
      config[chance.choose(KEYS)] = value(chance);
    try {
      const result = complete(config);
      // What becomes a command is one of ours, or the user's own.
      const own = Array.isArray(config.initCommands) ? config.initCommands as unknown[] : (typeof config.initCommands === 'string' ? config.initCommands : '').split(',').map(word => word.trim());
      for (const command of Array.isArray(result.initCommands) ? result.initCommands as unknown[] : [])
        assert.ok(own.includes(command) || /^\?!settings set plugin\.process\.amdgpu\.[a-z]+ [a-z,]+$/.test(String(command)), JSON.stringify(config));
      checksOf(config);
    } catch (error) {
      if (!(error instanceof BadConfiguration))
        throw new Error(`${JSON.stringify(config)}: ${String(error)}`, { cause: error });
    }
  }
});

it('20,000 reports', () => {
  const chance = new Chance(2);
  const good = JSON.stringify({ devices: [{ findings: [{ id: 1, check: 'memory', kind: 'invalid-global-write', text: 'Invalid global write', count: 3,
    here: { frames: [{ function: 'f', file: '/a.hip', line: 3, column: 5 }], kernel: 'f', workgroup: [0, 0, 0], wave: 0, lanes: [1] },
    other: { text: 'before', frames: [{ file: '/b.hip', line: 0 }] }, hostStack: [{ function: 'main' }] }] }] });
  for (let at = 0; at < 20000; ++at) {
    const report = JSON.parse(good) as Record<string, unknown>;
    for (let count = chance.below(3); count; --count)
      spoil(chance, report);
    let text = JSON.stringify(report);
    for (let count = chance.below(2); count; --count) {
      const place = chance.below(text.length);
      text = text.slice(0, place) + chance.choose(['', '"', '{', '[', ']', '}', ',', '0', '-', 'null', '1e999']) + text.slice(place + chance.below(4));
    }
    let findings;
    try {
      findings = readReport(text);
    } catch (error) {
      assert.ok(error instanceof SyntaxError || (error instanceof Error && error.message === 'it has no findings of wavelane-run --json'), text);
      continue;
    }
    for (const problem of makeProblems(findings))
      for (const { file, line, column } of [problem, ...problem.related])
        assert.ok(typeof file === 'string' && Number.isInteger(line) && line > 0 && Number.isInteger(column) && column >= 0, text);
  }
});
