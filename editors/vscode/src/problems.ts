// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings of the checks in the editor. They stay until the next session with checks begins.
import * as vscode from 'vscode';
import { makeProblems, readReport, type Related } from './findings';
import type { Finding } from './json';
import { ask, textOf, type Sessions } from './session';

function place(at: Related): vscode.Location {
  const start = new vscode.Position(at.line - 1, Math.max(0, at.column - 1));
  // A finding has a column, and no end.
  return new vscode.Location(vscode.Uri.file(at.file), new vscode.Range(start, at.column ? start.translate(0, 1) : start.with({ character: 1000 })));
}

export class Problems implements vscode.Disposable {
  private readonly problems = vscode.languages.createDiagnosticCollection('wavelane');
  private readonly disposables: vscode.Disposable[] = [this.problems];

  constructor(sessions: Sessions) {
    this.disposables.push(
      vscode.debug.onDidStartDebugSession(session => { if (session.configuration.hasChecks) this.problems.clear(); }),
      sessions.onDidStop(session => { if (session.configuration.hasChecks) void this.read(session); }));
  }

  private async read(session: vscode.DebugSession): Promise<void> {
    try {
      this.show(await ask<Finding[]>(session, 'gpu check list --json'));
    } catch {
      // There is no GPU yet, or the program runs again: the next stop shows it.
    }
  }

  private show(findings: Finding[]): void {
    const byFile = new Map<string, [vscode.Uri, vscode.Diagnostic[]]>();
    for (const problem of makeProblems(findings)) {
      const { uri, range } = place(problem);
      const diagnostic = new vscode.Diagnostic(range, problem.text,
        problem.isError ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning);
      diagnostic.source = `wavelane ${problem.check}`;
      diagnostic.code = problem.kind;
      diagnostic.relatedInformation = problem.related.map(at => new vscode.DiagnosticRelatedInformation(place(at), at.text));
      const entry = byFile.get(uri.toString());
      if (entry)
        entry[1].push(diagnostic);
      else
        byFile.set(uri.toString(), [uri, [diagnostic]]);
    }
    this.problems.clear();
    this.problems.set([...byFile.values()]);
  }

  /** Shows what `wavelane-run --json FILE` has written. */
  async open(): Promise<void> {
    const [file] = await vscode.window.showOpenDialog({ title: 'Findings of wavelane-run --json', filters: { JSON: ['json'] } }) ?? [];
    if (!file)
      return;
    try {
      const findings = readReport(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
      this.show(findings);
      if (findings.length)
        await vscode.commands.executeCommand('workbench.actions.view.problems');
      else
        void vscode.window.showInformationMessage('No findings.');
    } catch (error) {
      void vscode.window.showErrorMessage(`${file.fsPath} can't be read: ${textOf(error)}`);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}
