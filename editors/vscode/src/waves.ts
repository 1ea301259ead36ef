// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of the Waves view: agents, queues, dispatches, folds of like waves, workgroups, waves.
import type { Agent, Dispatch, Progress, Queue, Triple, WaveFold } from './json';

/** The waves of a dispatch at the same line for the same reason: their number at once, they themselves when they are shown. */
export interface Fold {
  agent?: number;
  dispatch?: number;
  line: string;
  state: string;
  count: number;
  waves: () => Promise<Wave[]>;
}

export interface Objects {
  agents: Agent[];
  queues: Queue[];
  dispatches: Dispatch[];
  folds: Fold[];
}

export interface Wave {
  thread: number;
  /** The name that the user gave. */
  label?: string;
  kernel: string;
  /** Such as "(1,0,0)/2", its workgroup and its number in it; another text if its workgroup isn't known. */
  position: string;
  line: string;
  state: string;
}

function stateOf(row: WaveFold): string {
  return row.state.replace(/^stop reason = /, '');
}

function wavesOf(row: WaveFold): Wave[] {
  const labels = new Map(row.labels?.map(({ thread, label }) => [thread, label]));
  return (row.threads ?? []).map((thread, n) => ({
    thread, label: labels.get(thread), kernel: row.kernel, position: row.names?.[n] ?? '(?)', line: row.line, state: stateOf(row),
  }));
}

/** The folds of a summary. Waves that it only counts are read, all at once, when some of them are needed. */
export function foldsOf(summary: WaveFold[], readAll: () => Promise<WaveFold[]>): Fold[] {
  const key = ({ kernel, dispatch, line, state }: WaveFold): string => JSON.stringify([kernel, dispatch, line, state]);
  let all: Promise<Map<string, WaveFold>> | undefined;
  const find = async (row: WaveFold): Promise<Wave[]> => {
    all ??= readAll().then(rows => new Map(rows.map(one => [key(one), one])));
    const found = (await all).get(key(row));
    return found ? wavesOf(found) : [];
  };
  return summary.map(row => ({
    agent: row.agent, dispatch: row.dispatch, line: row.line, state: stateOf(row), count: row.waves,
    waves: row.threads ? () => Promise.resolve(wavesOf(row)) : () => find(row),
  }));
}

export interface Node {
  /** Unique in the tree, and the same at the next stop. */
  id: string;
  kind: 'agent' | 'queue' | 'dispatch' | 'fold' | 'workgroups' | 'workgroup' | 'wave';
  label: string;
  description: string;
  tooltip?: string;
  /** The thread of a wave. */
  thread?: number;
  isOpen?: boolean;
  /** Made when the node is opened. */
  children?: () => Node[] | Promise<Node[]>;
}

/** As `thread list`: more waves than this are folded. */
export const mostUnfolded = 32;
/** More workgroups than this have a node for each so many. */
const mostGroups = 256;

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

function bar(progress: Progress): string {
  const width = 10;
  const done = progress.workgroups ? Math.floor(progress.done / progress.workgroups * width) : 0;
  const begun = progress.workgroups ? Math.ceil((progress.done + progress.running) / progress.workgroups * width) : 0;
  return '='.repeat(done) + '-'.repeat(Math.max(0, begun - done)) + '.'.repeat(Math.max(0, width - Math.max(done, begun)));
}

function describeProgress(progress: Progress): string {
  const least = progress.exact ? '' : 'at least ';
  return `[${bar(progress)}] ${least}${progress.done.toLocaleString('en')} of ${count(progress.workgroups, 'workgroup')} done, ${progress.running.toLocaleString('en')} running`;
}

/** The kernel without its parameters. */
export function shortName(kernel: string): string {
  const at = kernel.indexOf('(');
  return at > 0 ? kernel.slice(0, at) : kernel;
}

function groupBy<T>(list: T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const name = key(one);
    const group = groups.get(name);
    if (group)
      group.push(one);
    else
      groups.set(name, [one]);
  }
  return groups;
}

function position(triple: Triple | undefined): string {
  return triple ? `(${triple.join(',')})` : '(?)';
}

/** The state of a wave that stopped for no reason of its own. */
const withOthers = 'stopped with the others';

function waveNode(wave: Wave, under: string): Node {
  return {
    id: `${under}/wave ${wave.thread}`, kind: 'wave', thread: wave.thread,
    label: wave.label ? `${wave.label}: ${wave.position}` : wave.position,
    description: `${wave.line}${wave.state === withOthers ? '' : `, ${wave.state}`}`,
    tooltip: `${wave.kernel} ${wave.position}\n${wave.line}\n${wave.state}`,
  };
}

function workgroupOf(wave: Wave): string {
  return /^(\(\d+,\d+,\d+\))\/\d+$/.exec(wave.position)?.[1] ?? '(?)';
}

function groupNodes(waves: Wave[], under: string): Node[] {
  const groups = [...groupBy(waves, workgroupOf)];
  const nodes = (some: [string, Wave[]][]): Node[] => some.map(([name, own]) => {
    if (own.length === 1)
      return waveNode(own[0], under);
    const id = `${under}/group ${name}`;
    return { id, kind: 'workgroup', label: `workgroup ${name}`, description: count(own.length, 'wave'), children: () => own.map(wave => waveNode(wave, id)) };
  });
  if (groups.length <= mostGroups)
    return nodes(groups);
  const blocks: Node[] = [];
  for (let at = 0; at < groups.length; at += mostGroups) {
    const block = groups.slice(at, at + mostGroups);
    blocks.push({
      id: `${under}/groups ${block[0][0]}`, kind: 'workgroups', label: `workgroups ${block[0][0]} to ${block[block.length - 1][0]}`,
      description: count(block.reduce((sum, [, own]) => sum + own.length, 0), 'wave'), children: () => nodes(block),
    });
  }
  return blocks;
}

function total(folds: Fold[]): number {
  return folds.reduce((sum, fold) => sum + fold.count, 0);
}

async function wavesIn(folds: Fold[]): Promise<Wave[]> {
  return (await Promise.all(folds.map(fold => fold.waves()))).flat();
}

async function foldNodes(folds: Fold[], under: string): Promise<Node[]> {
  if (total(folds) <= mostUnfolded)
    return (await wavesIn(folds)).map(wave => waveNode(wave, under));
  const groups = [...groupBy(folds, fold => `${fold.line}, ${fold.state}`)];
  return groups.map(([name, own]) => {
    const id = `${under}/${name}`;
    return { id, kind: 'fold', label: count(total(own), 'wave'), description: `at ${name}`, children: async () => groupNodes(await wavesIn(own), id) };
  });
}

function dispatchNode(dispatch: Dispatch, folds: Fold[]): Node {
  const id = `dispatch ${dispatch.id}`;
  return {
    id, kind: 'dispatch', label: shortName(dispatch.kernel), isOpen: true,
    description: `${count(total(folds), 'wave')}${dispatch.progress ? `  ${describeProgress(dispatch.progress)}` : ''}`,
    tooltip: `${dispatch.kernel}\ndispatch ${dispatch.id}, grid ${position(dispatch.grid_size)}, workgroups of ${position(dispatch.workgroup_size)} work-items`,
    children: () => foldNodes(folds, id),
  };
}

/** Whether a wave is what the user looks for: each word is in its name, line or state. */
export function matches(wave: Wave, filter: string): boolean {
  const text = `${wave.kernel} ${wave.position} ${wave.label ?? ''} ${wave.line} ${wave.state}`.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

async function filtered(folds: Fold[], filter: string): Promise<Fold[]> {
  const left = await Promise.all(folds.map(async fold => {
    const waves = (await fold.waves()).filter(wave => matches(wave, filter));
    return { ...fold, count: waves.length, waves: () => Promise.resolve(waves) };
  }));
  return left.filter(fold => fold.count);
}

export async function makeTree(objects: Objects, filter = ''): Promise<Node[]> {
  const folds = filter ? await filtered(objects.folds, filter) : objects.folds;
  const byDispatch = groupBy(folds, fold => String(fold.dispatch ?? ''));
  const agents = objects.agents.map((agent): Node => {
    const queues = objects.queues.filter(queue => queue.agent === agent.id);
    const own = total(folds.filter(fold => fold.agent === agent.id));
    return {
      id: `agent ${agent.id}`, kind: 'agent', isOpen: true, label: agent.architecture ?? agent.name ?? `agent ${agent.id}`,
      description: `${count(queues.length, 'queue')}, ${count(own, 'wave')}`, tooltip: agent.name,
      children: () => queues.map(queue => queueNode(queue, objects, byDispatch)),
    };
  });
  // Waves whose dispatch isn't known, after a late attach.
  const known = new Set(objects.dispatches.map(dispatch => String(dispatch.id)));
  const others = folds.filter(fold => !known.has(String(fold.dispatch ?? '')));
  if (others.length)
    agents.push({ id: 'others', kind: 'dispatch', isOpen: true, label: 'unknown dispatches', description: count(total(others), 'wave'), children: () => foldNodes(others, 'others') });
  return agents;
}

function queueNode(queue: Queue, objects: Objects, folds: Map<string, Fold[]>): Node {
  const dispatches = objects.dispatches.filter(dispatch => dispatch.queue === queue.id);
  return {
    id: `queue ${queue.id}`, kind: 'queue', isOpen: dispatches.length > 0, label: `queue ${queue.id}`,
    description: count(dispatches.length, 'dispatch').replace('dispatchs', 'dispatches'), tooltip: queue.type,
    children: () => dispatches.map(dispatch => dispatchNode(dispatch, folds.get(String(dispatch.id)) ?? [])),
  };
}
