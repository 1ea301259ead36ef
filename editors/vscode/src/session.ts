// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The debug session that the views show, and when they are to be read again.
import * as vscode from 'vscode';

export const debugType = 'wavelane';

/** The frame that VS Code shows. */
export interface Shown {
  session: vscode.DebugSession;
  frameId: number;
}

interface AdapterMessage {
  type: string;
  event?: string;
  body?: { reason?: string; isSelection?: boolean };
}

/** Events of Wavelane's sessions. Nothing is asked for regularly: a view reads when one of these fires. */
export class Sessions implements vscode.Disposable {
  private readonly stopped = new vscode.EventEmitter<vscode.DebugSession>();
  private readonly shown = new vscode.EventEmitter<void>();
  private readonly running = new vscode.EventEmitter<vscode.DebugSession>();
  private readonly ended = new vscode.EventEmitter<vscode.DebugSession>();
  private readonly disposables: vscode.Disposable[] = [this.stopped, this.shown, this.running, this.ended];
  private readonly all = new Set<vscode.DebugSession>();
  private timer: NodeJS.Timeout | undefined;

  /** A program has stopped, and may have other waves. */
  readonly onDidStop = this.stopped.event;
  /** Another frame or lane is shown, or other values. */
  readonly onDidShow = this.shown.event;
  readonly onDidRun = this.running.event;
  readonly onDidEnd = this.ended.event;

  constructor() {
    this.disposables.push(
      vscode.debug.onDidChangeActiveStackItem(() => this.show()),
      vscode.debug.onDidChangeActiveDebugSession(() => this.show()),
      vscode.debug.onDidStartDebugSession(session => session.type === debugType && this.add(session)),
      vscode.debug.onDidTerminateDebugSession(session => session.type === debugType && this.remove(session)),
      vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
        createDebugAdapterTracker: session => ({
          onDidSendMessage: (message: AdapterMessage) => this.read(session, message),
        }),
      }));
  }

  private add(session: vscode.DebugSession): void {
    this.all.add(session);
    void vscode.commands.executeCommand('setContext', 'wavelane.hasSession', true);
  }

  private remove(session: vscode.DebugSession): void {
    this.all.delete(session);
    void vscode.commands.executeCommand('setContext', 'wavelane.hasSession', this.all.size > 0);
    this.ended.fire(session);
  }

  private read(session: vscode.DebugSession, message: AdapterMessage): void {
    if (message.type !== 'event')
      return;
    switch (message.event) {
      case 'stopped':
        // The same stop, of which another wave is shown.
        if (!message.body?.isSelection)
          this.stopped.fire(session);
        break;
      case 'invalidated': return this.show();
      case 'continued': return this.running.fire(session);
    }
  }

  /** VS Code reports a thread and its frame one after the other. */
  private show(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.shown.fire(), 20);
  }

  /** The frame that is shown, if the program is stopped. */
  getShown(): Shown | undefined {
    const item = vscode.debug.activeStackItem;
    return item instanceof vscode.DebugStackFrame && item.session.type === debugType
      ? { session: item.session, frameId: item.frameId } : undefined;
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.disposables).dispose();
  }
}

/** What a command prints. It runs for that frame, whatever is selected; without a frame, for the GPU. */
export async function run(session: vscode.DebugSession, command: string, frameId?: number): Promise<string> {
  const answer = await session.customRequest('wavelaneCommand', { commandLine: command, frameId }) as { text?: string };
  return answer.text ?? '';
}

/** What a command with --json prints. */
export async function ask<T>(session: vscode.DebugSession, command: string, frameId?: number): Promise<T> {
  return JSON.parse(await run(session, command, frameId)) as T;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
