// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of the Waves view: agents, queues, dispatches, folds of like waves, workgroups, waves.
import type { Agent, Dispatch, Progress, Queue, Triple, WaveFold } from './json';

export interface Objects {
  agents: Agent[];
  queues: Queue[];
  dispatches: Dispatch[];
  waves: Wave[];
}

export interface Wave {
  thread: number;
  agent?: number;
  dispatch?: number;
  /** The name that the user gave. */
  label?: string;
  kernel: string;
  /** Such as "(1,0,0)/2", its workgroup and its number in it; another text if its workgroup isn't known. */
  position: string;
  line: string;
  state: string;
}

/** The waves that a summary counts. */
export function wavesOf(summary: WaveFold[]): Wave[] {
  return summary.flatMap(fold => {
    const labels = new Map(fold.labels?.map(({ thread, label }) => [thread, label]));
    return fold.threads.map((thread, n) => ({
      thread, agent: fold.agent, dispatch: fold.dispatch, label: labels.get(thread), kernel: fold.kernel, position: fold.names[n],
      line: fold.line, state: fold.state.replace(/^stop reason = /, ''),
    }));
  });
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
  children?: () => Node[];
}

/** As `thread list`: more waves than this are folded. */
const mostUnfolded = 32;
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

function foldNodes(waves: Wave[], under: string): Node[] {
  if (waves.length <= mostUnfolded)
    return waves.map(wave => waveNode(wave, under));
  const folds = [...groupBy(waves, wave => `${wave.line}, ${wave.state}`)];
  return folds.map(([name, own]) => {
    const id = `${under}/${name}`;
    return { id, kind: 'fold', label: count(own.length, 'wave'), description: `at ${name}`, children: () => groupNodes(own, id) };
  });
}

function dispatchNode(dispatch: Dispatch, waves: Wave[]): Node {
  const id = `dispatch ${dispatch.id}`;
  return {
    id, kind: 'dispatch', label: shortName(dispatch.kernel), isOpen: true,
    description: `${count(waves.length, 'wave')}${dispatch.progress ? `  ${describeProgress(dispatch.progress)}` : ''}`,
    tooltip: `${dispatch.kernel}\ndispatch ${dispatch.id}, grid ${position(dispatch.grid_size)}, workgroups of ${position(dispatch.workgroup_size)} work-items`,
    children: () => foldNodes(waves, id),
  };
}

/** Whether a wave is what the user looks for: each word is in its name, line or state. */
export function matches(wave: Wave, filter: string): boolean {
  const text = `${wave.kernel} ${wave.position} ${wave.label ?? ''} ${wave.line} ${wave.state}`.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

export function makeTree(objects: Objects, filter = ''): Node[] {
  const waves = filter ? objects.waves.filter(wave => matches(wave, filter)) : objects.waves;
  const byDispatch = groupBy(waves, wave => String(wave.dispatch ?? ''));
  const agents = objects.agents.map((agent): Node => {
    const queues = objects.queues.filter(queue => queue.agent === agent.id);
    const own = waves.filter(wave => wave.agent === agent.id).length;
    return {
      id: `agent ${agent.id}`, kind: 'agent', isOpen: true, label: agent.architecture ?? agent.name ?? `agent ${agent.id}`,
      description: `${count(queues.length, 'queue')}, ${count(own, 'wave')}`, tooltip: agent.name,
      children: () => queues.map(queue => queueNode(queue, objects, byDispatch)),
    };
  });
  // Waves whose dispatch isn't known, after a late attach.
  const known = new Set(objects.dispatches.map(dispatch => String(dispatch.id)));
  const others = waves.filter(wave => !known.has(String(wave.dispatch ?? '')));
  if (others.length)
    agents.push({ id: 'others', kind: 'dispatch', isOpen: true, label: 'unknown dispatches', description: count(others.length, 'wave'), children: () => foldNodes(others, 'others') });
  return agents;
}

function queueNode(queue: Queue, objects: Objects, waves: Map<string, Wave[]>): Node {
  const dispatches = objects.dispatches.filter(dispatch => dispatch.queue === queue.id);
  return {
    id: `queue ${queue.id}`, kind: 'queue', isOpen: dispatches.length > 0, label: `queue ${queue.id}`,
    description: count(dispatches.length, 'dispatch').replace('dispatchs', 'dispatches'), tooltip: queue.type,
    children: () => dispatches.map(dispatch => dispatchNode(dispatch, waves.get(String(dispatch.id)) ?? [])),
  };
}
