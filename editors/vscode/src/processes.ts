// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The user's processes, to attach to.
import * as fs from 'fs';

export interface Process { pid: number; name: string; command: string }

/** The processes of the same user, the newest first. Those that end meanwhile are left out, and so is what simulates a program's GPU. */
export function listProcesses(root = '/proc', user = process.getuid?.()): Process[] {
  const list: Process[] = [];
  for (const entry of fs.readdirSync(root)) {
    if (!/^\d+$/.test(entry))
      continue;
    try {
      const folder = `${root}/${entry}`;
      if (user !== 0 && fs.statSync(folder).uid !== user)
        continue;
      const command = fs.readFileSync(`${folder}/cmdline`, 'utf8').split('\0').join(' ').trim();
      const name = fs.readFileSync(`${folder}/comm`, 'utf8').trim();
      // A kernel's thread has no command.
      if (command && name !== 'wavelane-gpu')
        list.push({ pid: Number(entry), name, command });
    } catch {
      continue;
    }
  }
  return list.sort((a, b) => b.pid - a.pid);
}
