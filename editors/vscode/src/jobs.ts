// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adapter of a job: the session that starts it and those of its ranks connect to the same one.
import { type ChildProcess, spawn } from 'child_process';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';

/** An adapter that listens at a socket which only the user can open, and ends with this process. */
export class JobAdapter {
  readonly socket: string;
  private readonly folder: string;
  private process: ChildProcess | undefined;

  constructor() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wavelane-job-'));
    this.socket = path.join(this.folder, 'adapter');
  }

  /** Resolves when sessions can connect. */
  async start(program: string): Promise<void> {
    const adapter = spawn(program, ['--connection', `accept://${this.socket}`],
      { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, WAVELANE_ADAPTER_ENDS_WITH_INPUT: '1' } });
    this.process = adapter;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      const read = (data: Buffer): void => {
        said += data.toString();
        if (said.includes('Listening for'))
          resolve();
      };
      adapter.stdout.on('data', read);
      adapter.stderr.on('data', read);
      adapter.on('error', reject);
      adapter.on('exit', () => reject(new Error(`${program} has ended: ${said.trim()}`)));
    });
  }

  /** No more sessions connect. It ends when those that have are done. */
  dispose(): void {
    this.process?.stdin?.end();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
