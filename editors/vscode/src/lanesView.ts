// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Lanes view: a grid of the lanes of the thread that is shown, and a chart of an expression's values.
import * as crypto from 'crypto';
import * as vscode from 'vscode';
import type { LaneList, LaneValues } from './json';
import { makeGrid, type Coloring } from './lanes';
import { ask, run, textOf, type Sessions } from './session';
import type { WavesView } from './wavesView';

type FromView =
  | { kind: 'ready' }
  | { kind: 'select'; lane: number }
  | { kind: 'expression'; text: string }
  | { kind: 'coloring'; coloring: Coloring };

export class LanesView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private coloring: Coloring;
  private readonly disposables: vscode.Disposable[] = [];
  /** The newest reading: an older one that answers later isn't shown. */
  private reading = 0;

  constructor(private readonly context: vscode.ExtensionContext, private readonly sessions: Sessions, private readonly otherView: WavesView) {
    this.coloring = context.workspaceState.get<Coloring>('coloring', 'active');
    this.disposables.push(
      vscode.window.registerWebviewViewProvider('wavelane.lanes', this, { webviewOptions: { retainContextWhenHidden: true } }),
      sessions.onDidShow(() => this.update()),
      sessions.onDidRun(() => this.post({ kind: 'running' })),
      sessions.onDidEnd(() => this.post({ kind: 'nothing', text: '' })),
      vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('wavelane.lanes') && this.update()));
  }

  get expression(): string {
    return vscode.workspace.getConfiguration('wavelane').get<string>('lanes.expression', '');
  }

  async setExpression(text: string): Promise<void> {
    await vscode.workspace.getConfiguration('wavelane').update('lanes.expression', text,
      vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    this.view = view;
    const out = vscode.Uri.joinPath(this.context.extensionUri, 'out', 'webview');
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [out, media] };
    view.webview.onDidReceiveMessage((message: FromView) => void this.receive(message));
    view.onDidChangeVisibility(() => this.update());
    view.onDidDispose(() => { this.view = undefined; });
    // A page keeps VS Code busy for a while, and the rows of the view beside it would wait.
    await this.otherView.settle();
    if (this.view === view)
      view.webview.html = page(view.webview, vscode.Uri.joinPath(out, 'lanes.js'), vscode.Uri.joinPath(media, 'lanes.css'));
  }

  private async receive(message: FromView): Promise<void> {
    switch (message.kind) {
      case 'ready': return this.update();
      case 'select': return this.select(String(message.lane));
      case 'expression': return this.setExpression(message.text);
      case 'coloring':
        this.coloring = message.coloring;
        await this.context.workspaceState.update('coloring', message.coloring);
        return this.update();
    }
  }

  /** Makes a lane the focus lane: its number, "next", "previous", or options. The adapter notifies VS Code, and so this view. */
  async select(which: string): Promise<void> {
    const shown = this.sessions.getShown();
    if (!shown)
      return;
    const words = which === 'next' || which === 'previous' ? which : `select ${which}`;
    try {
      await run(shown.session, `thread lane ${words}`, shown.frameId);
    } catch (error) {
      void vscode.window.showErrorMessage(textOf(error));
    }
  }

  private post(message: object): void {
    void this.view?.webview.postMessage(message);
  }

  private update(): void {
    if (this.view?.visible)
      void this.read(this.view);
  }

  private async read(view: vscode.WebviewView): Promise<void> {
    const reading = ++this.reading;
    const shown = this.sessions.getShown();
    const expression = this.expression;
    const state = { expression, coloring: this.coloring };
    let message: object = { kind: 'nothing', text: 'The program is running, or no frame is selected.', ...state };
    if (shown) {
      try {
        const list = await ask<LaneList>(shown.session, 'thread lane list --json', shown.frameId);
        message = { kind: 'nothing', text: 'This thread has no lanes.', ...state };
        if (list.lanes.length > 1) {
          const values = expression ? await this.readValues(shown.session, shown.frameId, expression, list) : undefined;
          message = { kind: 'grid', grid: makeGrid(list, values, this.coloring), ...state };
        }
      } catch (error) {
        message = { kind: 'nothing', text: textOf(error), ...state };
      }
    }
    if (reading === this.reading)
      void view.webview.postMessage(message);
  }

  private async readValues(session: vscode.DebugSession, frameId: number, expression: string, list: LaneList): Promise<LaneValues> {
    try {
      return await ask<LaneValues>(session, `thread lane print --all --json -- ${expression}`, frameId);
    } catch (error) {
      return { expression, type: '', values: list.lanes.map(({ lane, active }) => ({ lane, active, error: textOf(error) })) };
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

function page(webview: vscode.Webview, script: vscode.Uri, style: vscode.Uri): string {
  const nonce = crypto.randomBytes(16).toString('hex');
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${webview.asWebviewUri(style).toString()}">
<title>Lanes</title>
</head>
<body>
<form id="form">
<input id="expression" type="text" placeholder="expression, shown in each lane" aria-label="expression" spellcheck="false" autocomplete="off">
<select id="coloring" aria-label="colors">
<option value="active">active</option>
<option value="place">place</option>
<option value="value">value</option>
</select>
</form>
<p id="title"></p>
<p id="detail"></p>
<p id="error" role="alert"></p>
<div id="grid" role="grid" aria-label="lanes"></div>
<ul id="legend"></ul>
<figure id="chart" hidden><svg role="img" aria-label="values by lane"></svg><figcaption></figcaption></figure>
<script nonce="${nonce}" src="${webview.asWebviewUri(script).toString()}"></script>
</body>
</html>`;
}
