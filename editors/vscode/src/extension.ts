// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wavelane in VS Code: the debugger, its views and its commands.
import * as vscode from 'vscode';
import { findAdapter, usualFolders } from './adapter';
import { breakWhen, openCore, pickProcess, saveReport } from './commands';
import { checkFiles, complete, type Configuration } from './configuration';
import { JobAdapter } from './jobs';
import { LanesView } from './lanesView';
import { Problems } from './problems';
import { debugType, Sessions, textOf } from './session';
import type { Node } from './waves';
import { WavesView } from './wavesView';

/** The languages in whose files breakpoints can be set. */
const languages = ['hip', 'cuda-cpp', 'cpp', 'c', 'fortran', 'fortran-modern'];

function makeProvider(): vscode.DebugConfigurationProvider {
  return {
    resolveDebugConfiguration: (_folder, config) => {
      // F5 in a folder without launch.json.
      if (!config.type && !config.request && languages.slice(0, 2).includes(vscode.window.activeTextEditor?.document.languageId ?? ''))
        return { type: debugType, request: 'launch', name: 'HIP program', program: '${fileDirname}/${fileBasenameNoExtension}' };
      return config;
    },
    resolveDebugConfigurationWithSubstitutedVariables: (_folder, config) => {
      try {
        return complete(config as Configuration);
      } catch (error) {
        void vscode.window.showErrorMessage(`launch.json: ${textOf(error)}`);
        return undefined;
      }
    },
  };
}

/** Sessions' adapters: one of its own, or that of a job. */
class Adapters implements vscode.DebugAdapterDescriptorFactory, vscode.Disposable {
  /** Of jobs, by the session that has started it. */
  private readonly jobs = new Map<string, JobAdapter>();
  private readonly ends: vscode.Disposable;

  constructor(private readonly extension: string, sessions: Sessions) {
    this.ends = sessions.onDidEnd(session => {
      this.jobs.get(session.id)?.dispose();
      this.jobs.delete(session.id);
    });
  }

  async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const known = session.parentSession && this.jobs.get(session.parentSession.id);
    if (known)
      return new vscode.DebugAdapterNamedPipeServer(known.socket);
    checkFiles(session.configuration as Configuration);
    const program = findAdapter({
      setting: vscode.workspace.getConfiguration('wavelane').get<string>('path', ''),
      extension: this.extension,
      workspace: (vscode.workspace.workspaceFolders ?? []).map(folder => folder.uri.fsPath),
      path: process.env.PATH ?? '',
      usual: usualFolders(process.env.HOME),
    });
    if (session.configuration.job === undefined)
      return new vscode.DebugAdapterExecutable(program);
    const adapter = new JobAdapter();
    this.jobs.set(session.id, adapter);
    await adapter.start(program);
    return new vscode.DebugAdapterNamedPipeServer(adapter.socket);
  }

  dispose(): void {
    this.ends.dispose();
    for (const adapter of this.jobs.values())
      adapter.dispose();
  }
}

async function askFor(prompt: string, placeHolder: string, value = ''): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({ prompt, placeHolder, value });
  return text?.trim();
}

function registerCommands(lanes: LanesView, waves: WavesView, problems: Problems): vscode.Disposable[] {
  const register = (name: string, run: (...values: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`wavelane.${name}`, run);
  return [
    register('breakWhen', breakWhen),
    register('showInLanes', async () => {
      const editor = vscode.window.activeTextEditor;
      const range = editor && (editor.selection.isEmpty ? editor.document.getWordRangeAtPosition(editor.selection.active) : editor.selection);
      const text = range ? editor.document.getText(range) : await askFor('The expression to show in all lanes', 'i < n');
      if (text === undefined)
        return;
      await lanes.setExpression(text);
      await vscode.commands.executeCommand('wavelane.lanes.focus');
    }),
    register('selectLane', async () => {
      const lane = await askFor('The lane to select', '17');
      if (lane)
        await lanes.select(lane);
    }),
    register('selectLaneWhere', async () => {
      const condition = await askFor('Select the first lane in which this holds', 'i == 777');
      if (condition)
        await lanes.select(`--where ${condition}`);
    }),
    register('nextLane', () => lanes.select('next')),
    register('previousLane', () => lanes.select('previous')),
    register('selectWave', (node: Node) => waves.select(node)),
    register('filterWaves', async () => {
      const filter = await askFor('Show the waves with these words in their kernel, position, line or state', 'saxpy breakpoint', waves.getFilter());
      if (filter !== undefined)
        waves.setFilter(filter);
    }),
    register('report', saveReport),
    register('openCore', openCore),
    register('openFindings', () => problems.open()),
    register('pickProcess', pickProcess),
  ];
}

export function activate(context: vscode.ExtensionContext): void {
  const sessions = new Sessions();
  const waves = new WavesView(sessions);
  const lanes = new LanesView(context, sessions, waves);
  const problems = new Problems(sessions);
  const adapters = new Adapters(context.extensionPath, sessions);
  void vscode.commands.executeCommand('setContext', 'wavelane.languages', languages);
  context.subscriptions.push(adapters, sessions, lanes, waves, problems,
    vscode.debug.registerDebugConfigurationProvider(debugType, makeProvider()),
    vscode.debug.registerDebugAdapterDescriptorFactory(debugType, adapters),
    ...registerCommands(lanes, waves, problems));
}
