// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands that need no view.
import * as vscode from 'vscode';
import { listProcesses } from './processes';
import { debugType, run, textOf } from './session';

/** Sets a breakpoint that stops where a condition holds in a lane, or gives that condition to the line's breakpoint. */
export async function breakWhen(at?: { lineNumber?: number; uri?: vscode.Uri }): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor)
    return;
  const uri = at?.uri ?? editor.document.uri;
  const line = at?.lineNumber !== undefined ? at.lineNumber - 1 : editor.selection.active.line;
  const known = vscode.debug.breakpoints.filter((one): one is vscode.SourceBreakpoint =>
    one instanceof vscode.SourceBreakpoint && one.location.uri.toString() === uri.toString() && one.location.range.start.line === line);
  const word = editor.document.getWordRangeAtPosition(editor.selection.active);
  const condition = await vscode.window.showInputBox({
    prompt: `Stop at line ${line + 1} if this holds in an active lane`,
    placeHolder: 'threadIdx.x == 17 && i < n',
    value: known[0]?.condition ?? (word && editor.selection.active.line === line ? `${editor.document.getText(word)} == ` : ''),
  });
  if (!condition?.trim())
    return;
  vscode.debug.removeBreakpoints(known);
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(uri, new vscode.Position(line, 0)), true, condition.trim())]);
}

/** Asks for a process; for `${command:pickProcess}` in launch.json. */
export async function pickProcess(): Promise<string | undefined> {
  const items = listProcesses().map(({ pid, name, command }) => ({ label: name, description: String(pid), detail: command }));
  const picked = await vscode.window.showQuickPick(items, { placeHolder: 'The process to attach to', matchOnDescription: true, matchOnDetail: true });
  return picked?.description;
}

async function pickFile(title: string): Promise<string | undefined> {
  return (await vscode.window.showOpenDialog({ title, openLabel: 'Open' }))?.[0]?.fsPath;
}

export async function openCore(): Promise<void> {
  const core = await pickFile('The core file');
  const program = core && await pickFile('The program that it is of');
  if (core && program)
    await vscode.debug.startDebugging(undefined, { type: debugType, request: 'attach', name: 'Core', program, core });
}

export async function saveReport(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  const file = session?.type === debugType && await vscode.window.showSaveDialog({ title: 'Save report', filters: { HTML: ['html'] } });
  if (!session || !file)
    return;
  try {
    await run(session, `wavelane report "${file.fsPath.replace(/(["\\`])/g, '\\$1')}"`);
    if (await vscode.window.showInformationMessage(`Saved ${file.fsPath}`, 'Open'))
      await vscode.env.openExternal(file);
  } catch (error) {
    void vscode.window.showErrorMessage(textOf(error));
  }
}
