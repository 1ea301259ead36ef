// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code with the extension: a job of several ranks, each a session in the call stack.
// Usage: node job.js VSIX WAVELANE PROGRAM SOURCE FOLDER
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, program, source, folder] = process.argv.slice(2);
const editor = new Editor(folder, vsix, {
  folders: [{ path: path.dirname(source) }],
  settings: { 'wavelane.path': wavelane, 'debug.showSubSessionsInToolBar': true },
  launch: { version: '0.2.0', configurations: [{
    type: 'wavelane', request: 'launch', name: 'ring', program, job: ['mpirun.openmpi', '--allow-run-as-root', '--oversubscribe', '-n', '3'],
    // Each rank runs until it stops by itself.
    initCommands: ['settings set plugin.process.amdgpu.run-unit rank'],
  }] },
});

async function session() {
  const { page } = editor;
  const stack = editor.rows('.debug-call-stack');
  const row = text => stack.filter({ hasText: text }).first();
  await editor.open(path.basename(source), 13);
  await editor.until('the language', 'HIP', () => page.locator('[id="status.editor.mode"]').textContent());
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();
  await page.keyboard.press('Control+Shift+D');
  await page.locator('.debug-call-stack').waitFor();
  // Room for all ranks.
  for (const view of ['Variables', 'Watch', 'Breakpoints'])
    await page.locator('.pane-header', { hasText: view }).first().click();
  await editor.command('Debug: Select and Start Debugging', 'debug ring');
  await row('breakpoint 1.1').waitFor();
  await row('scale(int*, int)').waitFor();
  await editor.picture('job');
  const names = async () => (await stack.allTextContents()).filter(text => /^r(ing|ank \d)(Running|Paused|breakpoint|Breakpoint)/.test(text)).map(text => /^(ring|rank \d)/.exec(text)[0]);
  console.log('sessions:', (await names()).sort().join(', '));

  // A rank's wave is shown with its values.
  const rank = row('rank 2');
  await rank.click();
  if (await rank.getAttribute('aria-expanded') !== 'true')
    await page.keyboard.press('ArrowRight');
  await editor.until('the threads of rank 2', true, async () => (await stack.allTextContents()).join(' ').split('rank 2')[1].includes('scale (0,0,0)/0'));
  await stack.filter({ hasText: 'scale (0,0,0)/0' }).last().click();
  await editor.unfold('Variables');
  console.log('rank 2: factor', await editor.variable('factor', '3'));
  await editor.picture('rank');

  // They go on as one, to the end.
  await editor.command('Debug Console: Focus on Debug Console View');
  await page.locator('.repl-input-wrapper .monaco-editor.focused').waitFor();
  await page.keyboard.type('`settings set plugin.process.amdgpu.run-unit job\n');
  await editor.command('Remove All Breakpoints');
  await editor.command('Debug: Continue');
  await page.locator('.action-label.codicon-debug-stop').first().waitFor({ state: 'hidden' });
  // Which rank's console is shown now depends on which of them has ended last.
  await editor.command('Debug: Select Debug Console');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'ring' }).first().click();
  console.log('output:', await editor.until('the output', /rank 2 of 3: 16/, () => page.locator('.repl').innerText().then(text => text.replaceAll('\xa0', ' '))).then(text => /rank 2 of 3: .*/.exec(text)[0]));
}

void editor.run(session);
