// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where Wavelane's debug adapter is.
import * as fs from 'fs';
import * as path from 'path';

export interface Places {
  /** The setting `wavelane.path`: a folder or a file; empty to look for it. */
  setting: string;
  /** The extension's own folder. */
  extension: string;
  /** The workspace's folders. */
  workspace: string[];
  /** The value of PATH. */
  path: string;
  /** Where else people install programs: an editor that was started from a menu may have another PATH than a shell. */
  usual: string[];
}

/** The usual folders of programs, for a home. */
export function usualFolders(home: string | undefined): string[] {
  return [...(home ? [path.join(home, '.local', 'bin'), path.join(home, 'wavelane', 'bin')] : []),
    '/usr/local/bin', '/usr/bin', '/opt/wavelane/bin'];
}

export class NotFound extends Error {}

/** The names that the adapter has in a folder: installed, and as built. */
const installed = 'wavelane-lldb-dap';
const built = 'lldb-dap';

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The adapter in a folder of programs. LLVM's own adapter has the name of ours: only ours has wavelane-run beside it. */
function inPrograms(folder: string): string | undefined {
  if (isProgram(path.join(folder, installed)))
    return path.join(folder, installed);
  return isProgram(path.join(folder, built)) && isProgram(path.join(folder, 'wavelane-run')) ? path.join(folder, built) : undefined;
}

/** The adapter of a checkout or of an installation. */
function inFolder(folder: string): string | undefined {
  for (const programs of ['', 'bin', path.join('build', 'bin')]) {
    const found = inPrograms(path.join(folder, programs));
    if (found)
      return found;
  }
  return undefined;
}

function* withParents(folder: string): Generator<string> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    yield at;
    if (path.dirname(at) === at)
      return;
  }
}

/** The adapter's path. Throws NotFound, which says what to do, if there is none. */
export function findAdapter(places: Places): string {
  if (places.setting) {
    const setting = places.setting.replace(/^~(?=\/|$)/, process.env.HOME ?? '~');
    // Another program of Wavelane's has the adapter beside it.
    const isOther = /^(wavelane|lldb)(?!.*-dap$)/.test(path.basename(setting));
    const found = !isProgram(setting) ? inFolder(setting) : isOther ? inPrograms(path.dirname(setting)) : setting;
    if (found)
      return found;
    throw new NotFound(fs.existsSync(setting)
      ? `There is no ${installed} or ${built} with wavelane-run in '${isProgram(setting) ? path.dirname(setting) : setting}': set wavelane.path to the folder of Wavelane.`
      : `wavelane.path is '${setting}', which isn't there: set it to the folder of Wavelane, or clear it.`);
  }
  const folders = places.path.split(path.delimiter).filter(folder => folder).map(inPrograms);
  for (const start of [places.extension, ...places.workspace])
    folders.push(...[...withParents(start)].map(inFolder));
  folders.push(...places.usual.map(inPrograms));
  const found = folders.find(file => file);
  if (found)
    return found;
  throw new NotFound(`Wavelane isn't installed: there is no ${installed} in PATH. Install it, or set wavelane.path to its folder.`);
}
