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

/** The findings in what `wavelane-run --json` has written. */
export function readReport(text: string): Finding[] {
  const report = JSON.parse(text) as { devices?: { findings?: Finding[] }[] };
  if (!Array.isArray(report.devices))
    throw new Error('it has no findings of wavelane-run --json');
  return report.devices.flatMap(device => device.findings ?? []);
}
