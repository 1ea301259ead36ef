// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the commands print with --json, as far as the views read it: see docs/commands.schema.json.

export type Triple = [number, number, number];

export interface Lane {
  lane: number;
  active: boolean;
  focus: boolean;
  work_item?: Triple;
  grid?: Triple;
  name?: string;
  line?: string;
  goes_on_at?: string;
  done?: boolean;
}

export interface LaneList {
  thread: number;
  wave?: string;
  lane_count: number;
  focus: number;
  lanes: Lane[];
}

export interface LaneValue {
  lane: number;
  active: boolean;
  value?: string;
  error?: string;
  /** The stale variables that it depends on: "t [value at line 12]". */
  stale?: string;
}

export interface LaneValues {
  expression: string;
  type: string;
  values: LaneValue[];
}

export interface Agent { id: number; name?: string; architecture?: string; state?: string }

export interface Queue { id: number; agent?: number; type?: string; read_packet?: number; write_packet?: number }

export interface Progress { workgroups: number; done: number; running: number; waiting: number; exact: boolean }

export interface Dispatch {
  id: number;
  agent?: number;
  queue?: number;
  kernel: string;
  progress?: Progress;
  grid_size?: Triple;
  workgroup_size?: Triple;
}

/** The waves of a dispatch at the same line for the same reason, as of `gpu wave summary`. */
export interface WaveFold {
  agent?: number;
  queue?: number;
  dispatch?: number;
  kernel: string;
  line: string;
  state: string;
  waves: number;
  /** Left out, as the names, if `--most` says so. */
  threads?: number[];
  names?: string[];
  labels?: { thread: number; label: string }[];
}

export interface Frame { function?: string; file?: string; line?: number; column?: number }

export interface Place { frames?: Frame[]; text?: string; kernel?: string; workgroup?: Triple; wave?: number; lanes?: number[] }

export interface Finding {
  id: number;
  check: string;
  kind: string;
  text: string;
  count?: number;
  variable?: string;
  here?: Place;
  other?: Place;
  hostStack?: Frame[];
  report?: string;
}
