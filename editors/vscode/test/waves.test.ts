// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldsOf, makeTree, matches, type Fold, type Node, type Objects, type Wave } from '../src/waves';

/** The waves by line and state, as a summary has them. */
function fold(waves: Wave[], dispatch?: number): Fold[] {
  const states = [...new Set(waves.map(wave => wave.state))];
  return states.map(state => {
    const own = waves.filter(wave => wave.state === state);
    return { agent: 1, dispatch, line: own[0].line, state, count: own.length, waves: () => Promise.resolve(own) };
  });
}

function makeWaves(count: number, inGroup = 1): Wave[] {
  return Array.from({ length: count }, (_, n): Wave => ({
    thread: n + 1, kernel: 'many', position: `(${Math.floor(n / inGroup)},0,0)/${n % inGroup}`,
    line: 'many.hip:6', state: n ? 'stopped with the others' : 'breakpoint 1.1',
  }));
}

function objects(waves: number, inGroup = 1): Objects {
  return {
    agents: [{ id: 1, architecture: 'gfx90a', name: 'MI200' }],
    queues: [{ id: 1, agent: 1, type: 'HSA AQL' }],
    dispatches: [{ id: 5, agent: 1, queue: 1, kernel: 'many(int*, int)', grid_size: [640, 1, 1], workgroup_size: [64, 1, 1],
      progress: { workgroups: 20, done: 10, running: 4, waiting: 6, exact: true } }],
    folds: fold(makeWaves(waves, inGroup), 5),
  };
}

async function open(nodes: Node[] | Promise<Node[]>, ...labels: string[]): Promise<Node[]> {
  let shown = await nodes;
  for (const label of labels) {
    const node = shown.find(one => one.label === label);
    assert.ok(node?.children, `${label} among ${shown.map(one => one.label).join(', ')}`);
    shown = await node.children();
  }
  return shown;
}

describe('the tree of waves', () => {
  it('has agents, queues and dispatches with their counts', async () => {
    const tree = await makeTree(objects(3));
    assert.deepEqual(tree.map(node => [node.label, node.description]), [['gfx90a', '1 queue, 3 waves']]);
    const [dispatch] = await open(tree, 'gfx90a', 'queue 1');
    assert.equal(dispatch.label, 'many');
    assert.equal(dispatch.description, '3 waves  [=====--...] 10 of 20 workgroups done, 4 running');
  });

  it('is made of a summary', async () => {
    const [folded] = foldsOf([{ agent: 1, queue: 2, dispatch: 3, kernel: 'many', line: 'many.hip:6', state: 'stop reason = breakpoint 1.1',
      waves: 2, threads: [7, 9], names: ['(0,0,0)/0', 'wave 9'], labels: [{ thread: 9, label: 'last' }] }], () => assert.fail('not needed'));
    assert.deepEqual([folded.agent, folded.dispatch, folded.line, folded.state, folded.count], [1, 3, 'many.hip:6', 'breakpoint 1.1', 2]);
    assert.deepEqual(await folded.waves(), [
      { thread: 7, label: undefined, kernel: 'many', position: '(0,0,0)/0', line: 'many.hip:6', state: 'breakpoint 1.1' },
      { thread: 9, label: 'last', kernel: 'many', position: 'wave 9', line: 'many.hip:6', state: 'breakpoint 1.1' }]);
  });

  it('reads the waves that a summary only counts once, when a fold is opened', async () => {
    const row = (line: number, waves: number) => ({ agent: 1, queue: 1, dispatch: 5, kernel: 'many', line: `many.hip:${line}`, state: 'stopped with the others', waves });
    const waves = (first: number, count: number) => ({ threads: Array.from({ length: count }, (_, n) => first + n), names: Array.from({ length: count }, (_, n) => `(${n},0,0)/0`) });
    let reads = 0;
    const folds = foldsOf([row(6, 40), row(7, 2)], () => {
      ++reads;
      return Promise.resolve([{ ...row(7, 2), ...waves(41, 2) }, { ...row(6, 40), ...waves(1, 40) }]);
    });
    const shown = await open(makeTree({ ...objects(0), folds }), 'gfx90a', 'queue 1', 'many');
    assert.deepEqual(shown.map(node => node.label), ['40 waves', '2 waves']);
    assert.equal(reads, 0);
    assert.deepEqual((await open(shown, '2 waves')).map(node => node.thread), [41, 42]);
    assert.equal((await open(shown, '40 waves')).length, 40);
    assert.deepEqual((await open(makeTree({ ...objects(0), folds }, 'hip:7'), 'gfx90a', 'queue 1', 'many')).map(node => node.thread), [41, 42]);
    assert.equal(reads, 1);
  });

  it('lists a few waves one by one', async () => {
    const waves = await open(makeTree(objects(3)), 'gfx90a', 'queue 1', 'many');
    assert.deepEqual(waves.map(node => [node.label, node.description, node.thread]),
      [['(0,0,0)/0', 'many.hip:6, breakpoint 1.1', 1], ['(1,0,0)/0', 'many.hip:6', 2], ['(2,0,0)/0', 'many.hip:6', 3]]);
  });

  it('folds more than 32 by line and state, then by workgroup', async () => {
    const folds = await open(makeTree(objects(40, 2)), 'gfx90a', 'queue 1', 'many');
    assert.deepEqual(folds.map(node => [node.label, node.description]),
      [['1 wave', 'at many.hip:6, breakpoint 1.1'], ['39 waves', 'at many.hip:6, stopped with the others']]);
    const groups = await folds[1].children!();
    assert.deepEqual(groups.slice(0, 2).map(node => [node.label, node.description]), [['(0,0,0)/1', 'many.hip:6'], ['workgroup (1,0,0)', '2 waves']]);
    assert.deepEqual((await groups[1].children!()).map(node => node.thread), [3, 4]);
  });

  it('keeps 10,000 waves in nodes of 256 workgroups, with ids of their own', async () => {
    const blocks = await open(makeTree(objects(10000)), 'gfx90a', 'queue 1', 'many', '9,999 waves');
    assert.equal(blocks.length, Math.ceil(9999 / 256));
    assert.equal(blocks[0].label, 'workgroups (1,0,0) to (256,0,0)');
    const ids = (await Promise.all(blocks.map(async block => [block, ...await block.children!()]))).flat().map(node => node.id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('shows waves of unknown dispatches', async () => {
    const known = objects(2);
    delete known.folds[1].dispatch;
    assert.deepEqual((await makeTree(known)).map(node => [node.label, node.description]),
      [['gfx90a', '1 queue, 2 waves'], ['unknown dispatches', '1 wave']]);
  });

  it('is filtered by words', async () => {
    const [wave] = makeWaves(1);
    assert.ok(matches(wave, 'MANY.hip breakpoint'));
    assert.ok(!matches(wave, 'many.hip stopped'));
    assert.deepEqual((await open(makeTree(objects(40), 'breakpoint'), 'gfx90a', 'queue 1', 'many')).map(node => node.thread), [1]);
  });
});
