// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTree, matches, wavesOf, type Node, type Objects, type Wave } from '../src/waves';

function objects(waves: number, inGroup = 1): Objects {
  return {
    agents: [{ id: 1, architecture: 'gfx90a', name: 'MI200' }],
    queues: [{ id: 1, agent: 1, type: 'HSA AQL' }],
    dispatches: [{ id: 5, agent: 1, queue: 1, kernel: 'many(int*, int)', grid_size: [640, 1, 1], workgroup_size: [64, 1, 1],
      progress: { workgroups: 20, done: 10, running: 4, waiting: 6, exact: true } }],
    waves: Array.from({ length: waves }, (_, n): Wave => ({
      thread: n + 1, agent: 1, dispatch: 5, kernel: 'many', position: `(${Math.floor(n / inGroup)},0,0)/${n % inGroup}`,
      line: 'many.hip:6', state: n ? 'stopped with the others' : 'breakpoint 1.1',
    })),
  };
}

function open(nodes: Node[], ...labels: string[]): Node[] {
  for (const label of labels) {
    const node = nodes.find(one => one.label === label);
    assert.ok(node?.children, `${label} among ${nodes.map(one => one.label).join(', ')}`);
    nodes = node.children();
  }
  return nodes;
}

describe('the tree of waves', () => {
  it('has agents, queues and dispatches with their counts', () => {
    const tree = makeTree(objects(3));
    assert.deepEqual(tree.map(node => [node.label, node.description]), [['gfx90a', '1 queue, 3 waves']]);
    const [dispatch] = open(tree, 'gfx90a', 'queue 1');
    assert.equal(dispatch.label, 'many');
    assert.equal(dispatch.description, '3 waves  [=====--...] 10 of 20 workgroups done, 4 running');
  });

  it('is made of a summary', () => {
    assert.deepEqual(wavesOf([{ agent: 1, queue: 2, dispatch: 3, kernel: 'many', line: 'many.hip:6', state: 'stop reason = breakpoint 1.1',
      threads: [7, 9], names: ['(0,0,0)/0', 'wave 9'], labels: [{ thread: 9, label: 'last' }] }]), [
      { thread: 7, agent: 1, dispatch: 3, label: undefined, kernel: 'many', position: '(0,0,0)/0', line: 'many.hip:6', state: 'breakpoint 1.1' },
      { thread: 9, agent: 1, dispatch: 3, label: 'last', kernel: 'many', position: 'wave 9', line: 'many.hip:6', state: 'breakpoint 1.1' }]);
  });

  it('lists a few waves one by one', () => {
    const waves = open(makeTree(objects(3)), 'gfx90a', 'queue 1', 'many');
    assert.deepEqual(waves.map(node => [node.label, node.description, node.thread]),
      [['(0,0,0)/0', 'many.hip:6, breakpoint 1.1', 1], ['(1,0,0)/0', 'many.hip:6', 2], ['(2,0,0)/0', 'many.hip:6', 3]]);
  });

  it('folds more than 32 by line and state, then by workgroup', () => {
    const folds = open(makeTree(objects(40, 2)), 'gfx90a', 'queue 1', 'many');
    assert.deepEqual(folds.map(node => [node.label, node.description]),
      [['1 wave', 'at many.hip:6, breakpoint 1.1'], ['39 waves', 'at many.hip:6, stopped with the others']]);
    const groups = folds[1].children!();
    assert.deepEqual(groups.slice(0, 2).map(node => [node.label, node.description]), [['(0,0,0)/1', 'many.hip:6'], ['workgroup (1,0,0)', '2 waves']]);
    assert.deepEqual(groups[1].children!().map(node => node.thread), [3, 4]);
  });

  it('keeps 10,000 waves in nodes of 256 workgroups, with ids of their own', () => {
    const blocks = open(makeTree(objects(10000)), 'gfx90a', 'queue 1', 'many', '9,999 waves');
    assert.equal(blocks.length, Math.ceil(9999 / 256));
    assert.equal(blocks[0].label, 'workgroups (1,0,0) to (256,0,0)');
    const ids = blocks.flatMap(block => [block, ...block.children!()]).map(node => node.id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('shows waves of unknown dispatches', () => {
    const known = objects(2);
    delete known.waves[1].dispatch;
    assert.deepEqual(makeTree(known).map(node => [node.label, node.description]),
      [['gfx90a', '1 queue, 2 waves'], ['unknown dispatches', '1 wave']]);
  });

  it('is filtered by words', () => {
    const [wave] = objects(1).waves;
    assert.ok(matches(wave, 'MANY.hip breakpoint'));
    assert.ok(!matches(wave, 'many.hip stopped'));
    assert.deepEqual(open(makeTree(objects(40), 'breakpoint'), 'gfx90a', 'queue 1', 'many').map(node => node.thread), [1]);
  });
});
