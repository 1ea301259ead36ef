// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Lane, LaneList, LaneValues } from '../src/json';
import { makeGrid, numberOf } from '../src/lanes';

function list(lanes: Partial<Lane>[]): LaneList {
  return { thread: 3, wave: 'saxpy (1,0,0)/2', lane_count: lanes.length, focus: 1,
    lanes: lanes.map((lane, number) => ({ lane: number, active: true, focus: number === 1, ...lane })) };
}

const some = list([
  { line: 'a.hip:3:1', work_item: [0, 0, 0], grid: [64, 0, 0] }, { line: 'a.hip:3:1', work_item: [1, 0, 0] },
  { active: false, goes_on_at: 'a.hip:7:1' }, { active: false, done: true }]);

const values: LaneValues = { expression: 'i', type: 'int', values: [
  { lane: 0, active: true, value: '10' }, { lane: 1, active: true, value: '30' },
  { lane: 2, active: false, value: '20' }, { lane: 3, active: false, error: 'optimized out' }] };

describe('the grid', () => {
  it('has a cell for each lane, colored by whether it is active', () => {
    const grid = makeGrid(some, undefined, 'active');
    assert.equal(grid.title, 'saxpy (1,0,0)/2');
    assert.equal(grid.detail, '4 lanes, 2 active, focus lane 1, work-item (1,0,0)');
    assert.deepEqual(grid.cells.map(cell => cell.color), [0, 0, 1, 2]);
    assert.deepEqual(grid.cells.map(cell => cell.focus), [false, true, false, false]);
    assert.deepEqual(grid.legend.map(entry => entry.text), ['active (2)', 'inactive (1)', 'done (1)']);
    assert.equal(grid.cells[0].tooltip, 'lane 0\nactive at a.hip:3:1\nwork-item (0,0,0), (64,0,0) in the grid');
    assert.equal(grid.chart, undefined);
  });

  it('is colored by place', () => {
    assert.deepEqual(makeGrid(some, undefined, 'place').legend.map(entry => entry.text),
      ['a.hip:3:1 (2)', 'goes on at a.hip:7:1 (1)', 'done (1)']);
  });

  it('is shaded by the value of a number, and charts it', () => {
    const grid = makeGrid(some, values, 'value');
    assert.deepEqual(grid.cells.map(cell => cell.shade), [0, 1, 0.5, undefined]);
    assert.deepEqual(grid.cells.map(cell => cell.text), ['10', '30', '20', '<optimized out>']);
    assert.deepEqual(grid.chart, { least: 10, greatest: 30, mean: 20, numbers: [10, 30, 20, null] });
    assert.deepEqual(grid.legend, []);
    assert.match(grid.cells[2].tooltip, /i = 20 \(may be stale\)/);
    assert.equal(grid.error, undefined);
  });

  it('says once what of a value is stale', () => {
    const one = list([{}, {}]);
    const stale = 't [value at line 12]';
    const grid = makeGrid(one, { expression: 't + 1', type: 'int', values: [{ lane: 0, active: true, value: '8', stale },
      { lane: 1, active: true, value: '7 [value at line 12]', stale }] }, 'value');
    assert.deepEqual(grid.cells.map(cell => cell.text), ['8 [stale: t [value at line 12]]', '7 [value at line 12]']);
  });

  it('has colors for values that are not numbers, and the last one for the rest', () => {
    const many = list(Array.from({ length: 64 }, () => ({})));
    const grid = makeGrid(many, { expression: 's', type: 's', values: many.lanes.map(({ lane }) => ({ lane, active: true, value: `{${lane % 10}}` })) }, 'value');
    assert.equal(grid.legend.length, 7);
    assert.equal(grid.legend[6].text, '4 others');
    assert.equal(Math.max(...grid.cells.map(cell => cell.color!)), 6);
    assert.equal(grid.chart, undefined);
  });

  it('says why there is no value anywhere', () => {
    const wrong = { expression: 'q', type: '', values: some.lanes.map(({ lane, active }) => ({ lane, active, error: "undeclared 'q'" })) };
    assert.equal(makeGrid(some, wrong, 'value').error, "undeclared 'q'");
  });

  it('shades equal values alike', () => {
    const same = { ...values, values: some.lanes.map(({ lane, active }) => ({ lane, active, value: '7' })) };
    assert.deepEqual(makeGrid(some, same, 'value').cells.map(cell => cell.shade), [0.5, 0.5, 0.5, 0.5]);
  });
});

it('numbers are read as LLDB prints them', () => {
  const read = { '17': 17, '-3.5': -3.5, '1.0E-3': 0.001, '0x1f': 31, 'true': 1, "97 'a'": 97, '{x = 1}': null, 'nan': null, '': null };
  for (const [text, number] of Object.entries(read))
    assert.equal(numberOf(text), number, text);
  assert.equal(numberOf(undefined), null);
});
