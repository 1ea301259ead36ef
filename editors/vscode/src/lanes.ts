// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the Lanes view draws.
import type { Lane, LaneList, LaneValue, LaneValues } from './json';

export type Coloring = 'active' | 'place' | 'value';

export interface Cell {
  lane: number;
  /** The lane's value; empty if no expression is shown. */
  text: string;
  tooltip: string;
  active: boolean;
  focus: boolean;
  /** The number of the lane's color among the legend's; undefined for a shade. */
  color?: number;
  /** 0 to 1: where the lane's number is between the least and the greatest. */
  shade?: number;
}

export interface Legend { color: number; text: string }

export interface Chart {
  least: number;
  greatest: number;
  mean: number;
  /** By lane; null where there is no number. */
  numbers: (number | null)[];
}

export interface Grid {
  title: string;
  detail: string;
  cells: Cell[];
  legend: Legend[];
  chart?: Chart;
  /** Why the expression has no value anywhere. */
  error?: string;
}

/** The colors that differ well enough; places beyond share the last. */
const colors = 7;

export function numberOf(text: string | undefined): number | null {
  if (text === undefined)
    return null;
  const word = text.trim();
  if (word === 'true' || word === 'false')
    return word === 'true' ? 1 : 0;
  // A char: "'a' (97)" or "97 'a'".
  const plain = /^(-?\d+) '/.exec(word)?.[1] ?? word;
  return /^[-+]?(0x[0-9a-f]+|(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)$/i.test(plain) ? Number(plain) : null;
}

function placeOf(lane: Lane): string {
  if (lane.active)
    return lane.line ?? 'active';
  if (lane.done)
    return 'done';
  return lane.goes_on_at ? `goes on at ${lane.goes_on_at}` : 'inactive';
}

function triple(position: readonly number[]): string {
  return `(${position.join(',')})`;
}

/** The value with what of it is stale; a variable's own text says it. */
function textOf(value: LaneValue): string {
  if (value.value === undefined)
    return `<${value.error}>`;
  const mark = value.stale?.slice(value.stale.indexOf(' ['));
  return !mark || value.value.endsWith(mark) ? value.value : `${value.value} [stale: ${value.stale}]`;
}

function describe(lane: Lane, value: string | undefined, expression: string): string {
  const parts = [`lane ${lane.lane}${lane.name ? ` '${lane.name}'` : ''}${lane.focus ? ', focus lane' : ''}`];
  parts.push(lane.active ? `active at ${lane.line ?? 'an unknown line'}` : placeOf(lane));
  if (lane.work_item)
    parts.push(`work-item ${triple(lane.work_item)}${lane.grid ? `, ${triple(lane.grid)} in the grid` : ''}`);
  if (value !== undefined)
    parts.push(`${expression} = ${value}${lane.active ? '' : ' (may be stale)'}`);
  return parts.join('\n');
}

/** Numbers of colors, in the order in which the texts come. */
class Palette {
  private readonly known = new Map<string, number>();

  add(text: string): number {
    if (!this.known.has(text))
      this.known.set(text, this.known.size);
    return Math.min(this.known.get(text)!, colors - 1);
  }

  legend(counts: Map<string, number>): Legend[] {
    const entries = [...this.known].map(([text, color]) => ({ color, text: `${text} (${counts.get(text)})` }));
    const shown = entries.slice(0, colors);
    if (entries.length > colors)
      shown[colors - 1] = { color: colors - 1, text: `${entries.length - colors + 1} others` };
    return shown;
  }
}

function chartOf(numbers: (number | null)[]): Chart | undefined {
  const known = numbers.filter((n): n is number => n !== null);
  if (!known.length)
    return undefined;
  return {
    least: Math.min(...known),
    greatest: Math.max(...known),
    mean: known.reduce((sum, n) => sum + n, 0) / known.length,
    numbers,
  };
}

export function makeGrid(list: LaneList, values: LaneValues | undefined, coloring: Coloring): Grid {
  const texts = new Map(values?.values.map(value => [value.lane, textOf(value)]));
  const withValue = new Map(values?.values.filter(value => value.value !== undefined).map(value => [value.lane, value.value!]));
  const numbers = list.lanes.map(lane => numberOf(withValue.get(lane.lane)));
  const chart = chartOf(numbers);
  // Values that aren't numbers have colors as places have.
  const key = (lane: Lane): string | undefined => {
    switch (coloring) {
      case 'active': return lane.active ? 'active' : lane.done ? 'done' : 'inactive';
      case 'place': return placeOf(lane);
      case 'value': return withValue.get(lane.lane);
    }
  };
  const palette = new Palette();
  const counts = new Map<string, number>();
  const shaded = coloring === 'value' && chart !== undefined;
  const cells = list.lanes.map((lane, index): Cell => {
    const text = key(lane);
    const number = numbers[index];
    const cell: Cell = {
      lane: lane.lane, text: texts.get(lane.lane) ?? '', active: lane.active, focus: lane.focus,
      tooltip: describe(lane, texts.get(lane.lane), values?.expression ?? ''),
    };
    if (shaded) {
      if (number !== null)
        cell.shade = chart.greatest > chart.least ? (number - chart.least) / (chart.greatest - chart.least) : 0.5;
    } else if (text !== undefined) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
      cell.color = palette.add(text);
    }
    return cell;
  });
  const focus = list.lanes.find(lane => lane.focus);
  const active = list.lanes.filter(lane => lane.active).length;
  const errors = values?.values.filter(value => value.error !== undefined) ?? [];
  return {
    title: list.wave ?? `thread #${list.thread}`,
    detail: `${list.lane_count} lanes, ${active} active, focus lane ${list.focus}`
      + (focus?.work_item ? `, work-item ${triple(focus.work_item)}` : ''),
    cells,
    legend: shaded ? [] : palette.legend(counts),
    chart,
    error: values && !withValue.size && errors.length ? errors[0].error : undefined,
  };
}
