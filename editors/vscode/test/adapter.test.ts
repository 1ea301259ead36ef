// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findAdapter, NotFound, usualFolders } from '../src/adapter';

let top: string;

/** A program in a folder below a new one. */
function program(...names: string[]): string {
  const file = path.join(top, ...names);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

const find = (setting: string, search: string[] = [], workspace: string[] = [], usual: string[] = []): string =>
  findAdapter({ setting, extension: path.join(top, 'none'), workspace, path: search.join(':'), usual });

describe('the adapter', () => {
  beforeEach(() => { top = fs.mkdtempSync(path.join(os.tmpdir(), 'wave läne ')); });
  afterEach(() => fs.rmSync(top, { recursive: true }));

  it('is the installed one in PATH', () => {
    const file = program('bin', 'wavelane-lldb-dap');
    assert.equal(find('', ['/nowhere', path.join(top, 'bin')]), file);
  });

  it("isn't LLVM's of the same name", () => {
    program('llvm', 'lldb-dap');
    const own = program('own', 'lldb-dap');
    program('own', 'wavelane-run');
    assert.equal(find('', [path.join(top, 'llvm'), path.join(top, 'own')]), own);
  });

  it('is in the build folder above the workspace', () => {
    const file = program('checkout', 'build', 'bin', 'lldb-dap');
    program('checkout', 'build', 'bin', 'wavelane-run');
    fs.mkdirSync(path.join(top, 'checkout', 'test', 'programs'), { recursive: true });
    assert.equal(find('', [], [path.join(top, 'checkout', 'test', 'programs')]), file);
  });

  it('is where the setting says, as a file or a folder', () => {
    const file = program('opt', 'bin', 'wavelane-lldb-dap');
    for (const setting of [file, path.join(top, 'opt'), path.join(top, 'opt', 'bin')])
      assert.equal(find(setting), file);
  });

  it('is beside another program that the setting names', () => {
    const file = program('opt', 'bin', 'wavelane-lldb-dap');
    for (const name of ['wavelane', 'wavelane-lldb', 'wavelane-run'])
      assert.equal(find(program('opt', 'bin', name)), file);
    const wrapper = program('my-adapter');
    assert.equal(find(wrapper), wrapper);
    assert.throws(() => find(program('llvm', 'lldb')), /There is no wavelane-lldb-dap .* in '.*llvm': set/);
  });

  it('is where programs usually are, if PATH leads nowhere', () => {
    const file = program('home', '.local', 'bin', 'wavelane-lldb-dap');
    const usual = usualFolders(path.join(top, 'home'));
    assert.equal(find('', [], [], usual.slice(0, 2)), file);
    assert.ok(usual.includes('/usr/bin') && usual.includes('/opt/wavelane/bin'));
    const first = program('bin', 'wavelane-lldb-dap');
    assert.equal(find('', [path.join(top, 'bin')], [], usual), first);
    assert.ok(!usualFolders(undefined).some(folder => folder.includes('undefined')));
  });

  it('is missing with one line that says what to do', () => {
    const message = (setting: string): string => {
      try {
        return find(setting);
      } catch (error) {
        assert.ok(error instanceof NotFound);
        assert.ok(!error.message.includes('\n'));
        return error.message;
      }
    };
    assert.match(message(''), /Install it, or set wavelane\.path/);
    assert.match(message('/no/such/folder'), /'\/no\/such\/folder', which isn't there/);
    assert.match(message(top), /There is no wavelane-lldb-dap/);
    fs.writeFileSync(path.join(top, 'wavelane-lldb-dap'), '');
    assert.match(message(top), /There is no/, 'a file that cannot be executed');
  });
});
