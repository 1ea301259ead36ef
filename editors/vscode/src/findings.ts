// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings of the checks, as problems of source files.
import type { Finding, Frame, Place } from './json';

export interface Related { file: string; line: number; column: number; text: string }

export interface Problem extends Related {
  check: string;
  kind: string;
  isError: boolean;
  related: Related[];
}

/** The first frame with a file: the innermost; a source in a system folder isn't the user's. */
function ownFrame(frames: Frame[] | undefined): Frame | undefined {
  const known = frames?.filter(frame => frame.file && frame.line);
  return known?.find(frame => !frame.file!.startsWith('/usr/')) ?? known?.[0];
}

function related(frame: Frame | undefined, text: string): Related[] {
  return frame ? [{ file: frame.file!, line: frame.line!, column: frame.column ?? 0, text }] : [];
}

function who(place: Place | undefined): string {
  if (!place?.workgroup)
    return '';
  const lanes = place.lanes ?? [];
  const range = lanes.length > 1 ? `lanes ${lanes[0]} to ${lanes[lanes.length - 1]}` : `lane ${lanes[0]}`;
  return ` (${place.kernel ? `${place.kernel}: ` : ''}workgroup (${place.workgroup.join(',')}), wave ${place.wave}${lanes.length ? `, ${range}` : ''})`;
}

export function makeProblems(findings: Finding[]): Problem[] {
  const problems: Problem[] = [];
  for (const finding of findings) {
    const frame = ownFrame(finding.here?.frames ?? finding.hostStack);
    if (!frame)
      continue;
    problems.push({
      file: frame.file!, line: frame.line!, column: frame.column ?? 0,
      text: finding.text + (finding.variable ? `, ${finding.variable}` : '') + who(finding.here),
      check: finding.check, kind: finding.kind, isError: finding.kind !== 'leak',
      related: related(ownFrame(finding.other?.frames), (finding.other?.text ?? 'the other access') + who(finding.other)),
    });
  }
  return problems;
}

type Fields = Record<string, unknown>;
type Test = (value: unknown) => boolean;

const isText: Test = value => typeof value === 'string';
const isNumber: Test = value => Number.isSafeInteger(value) && (value as number) >= 0;
const isListOf = (test: Test): Test => value => Array.isArray(value) && value.every(test);
/** An object with these fields, those with a question mark if they are there. */
const has = (fields: Record<string, Test>): Test => value => typeof value === 'object' && value !== null &&
  Object.entries(fields).every(([name, test]) => {
    const own = (value as Fields)[name.replace('?', '')];
    return own === undefined || own === null ? name.endsWith('?') : test(own);
  });
const isFrame = has({ 'file?': isText, 'line?': isNumber, 'column?': isNumber });
const isPlace = has({ 'frames?': isListOf(isFrame), 'text?': isText, 'kernel?': isText, 'workgroup?': isListOf(isNumber), 'wave?': isNumber, 'lanes?': isListOf(isNumber) });
const isFinding = has({ check: isText, kind: isText, text: isText, 'variable?': isText, 'here?': isPlace, 'other?': isPlace, 'hostStack?': isListOf(isFrame) });
const isReport = has({ devices: isListOf(has({ 'findings?': isListOf(isFinding) })) });

/** The findings in what `wavelane-run --json` has written. */
export function readReport(text: string): Finding[] {
  const report: unknown = JSON.parse(text);
  if (!isReport(report))
    throw new Error('it has no findings of wavelane-run --json');
  return (report as { devices: { findings?: Finding[] }[] }).devices.flatMap(device => device.findings ?? []);
}
