// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Waves view: what is on the GPU, as a tree.
import * as vscode from 'vscode';
import type { Agent, Dispatch, Queue, WaveFold } from './json';
import { ask, debugType, textOf, type Sessions } from './session';
import { foldsOf, makeTree, mostUnfolded, type Node, type Objects } from './waves';

const icons: Record<Node['kind'], string> = {
  agent: 'circuit-board', queue: 'list-ordered', dispatch: 'rocket', fold: 'layers', workgroups: 'layers', workgroup: 'symbol-array', wave: 'pulse',
};

export class WavesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[] = [this.changed];
  private readonly view: vscode.TreeView<Node>;
  private session: vscode.DebugSession | undefined;
  /** What was read at this stop. */
  private objects: Promise<Objects> | undefined;
  private filter = '';
  private wasOpened = false;
  /** When VS Code has last asked for rows. */
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(sessions: Sessions) {
    this.view = vscode.window.createTreeView('wavelane.waves', { treeDataProvider: this });
    this.disposables.push(this.view,
      sessions.onDidStop(session => { this.show(session); this.readBefore(session); }),
      sessions.onDidRun(session => { if (session === this.session) this.setRunning(); }),
      sessions.onDidEnd(session => { if (session === this.session) this.show(undefined); }),
      vscode.debug.onDidChangeActiveDebugSession(session => {
        if (session && session !== this.session && session.type === debugType)
          this.show(session);
      }));
  }

  private show(session: vscode.DebugSession | undefined): void {
    clearTimeout(this.timer);
    this.session = session;
    this.objects = undefined;
    this.view.message = undefined;
    this.changed.fire();
  }

  private setRunning(): void {
    clearTimeout(this.timer);
    this.view.message = 'The program is running.';
  }

  /** Opening the panel for the first time keeps VS Code busy: by then, and after what it reads at each stop, the counts are there. */
  private readBefore(session: vscode.DebugSession): void {
    if (!this.wasOpened)
      this.timer = setTimeout(() => { this.get(session).catch(() => undefined); }, 500);
  }

  private get(session: vscode.DebugSession): Promise<Objects> {
    return this.objects ??= this.read(session);
  }

  setFilter(filter: string): void {
    this.filter = filter.trim();
    this.view.description = this.filter && `with '${this.filter}'`;
    this.changed.fire();
  }

  getFilter(): string {
    return this.filter;
  }

  /** VS Code asks while the view is visible, and for what is unfolded. */
  async getChildren(node?: Node): Promise<Node[]> {
    const session = this.session;
    if (!session)
      return [];
    this.asked = Date.now();
    try {
      if (node)
        return await node.children?.() ?? [];
      this.wasOpened = true;
      return await makeTree(await this.get(session), this.filter);
    } catch (error) {
      // Before the first kernel there is no GPU.
      if (session === this.session)
        this.view.message = textOf(error);
      return [];
    }
  }

  private async read(session: vscode.DebugSession): Promise<Objects> {
    const summary = 'gpu wave summary --json';
    const [agents, queues, dispatches, folds] = await Promise.all([
      ask<Agent[]>(session, 'gpu agent list --json'), ask<Queue[]>(session, 'gpu queue list --json'),
      ask<Dispatch[]>(session, 'gpu dispatch list --json'), ask<WaveFold[]>(session, `${summary} --most ${mostUnfolded}`)]);
    return { agents, queues, dispatches, folds: foldsOf(folds, () => ask<WaveFold[]>(session, summary)) };
  }

  /** Waits until VS Code has asked for the rows of all open nodes, one level after the other, but not long. */
  async settle(): Promise<void> {
    const pause = 80, most = 400;
    for (const end = Date.now() + most; Date.now() < Math.min(end, this.asked + pause);)
      await new Promise(resolve => { setTimeout(resolve, 20); });
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const state = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, node.children ? (node.isOpen ? state.Expanded : state.Collapsed) : state.None);
    item.id = node.id;
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.iconPath = new vscode.ThemeIcon(icons[node.kind]);
    item.contextValue = node.kind;
    if (node.thread !== undefined)
      item.command = { command: 'wavelane.selectWave', title: 'Select Wave', arguments: [node] };
    return item;
  }

  /** Shows a wave in the call stack and the editor. */
  async select(node: Node): Promise<void> {
    try {
      await this.session?.customRequest('wavelaneSelect', { thread: node.thread });
    } catch (error) {
      void vscode.window.showErrorMessage(textOf(error));
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}
