// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long VS Code's views take with 12,000 waves, from the click until their first rows, when they are opened for the first time and again.
// Usage: node many-waves.js VSIX WAVELANE SOURCE FOLDER
// The goal is a second for each view where nothing else runs.
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, source, folder] = process.argv.slice(2);
const workspace = path.join(folder, 'program'), name = path.basename(source, '.hip');
const editor = new Editor(folder, vsix, {
  folders: [{ path: workspace }],
  settings: { 'wavelane.path': wavelane, 'debug.openDebug': 'neverOpen' },
  launch: { version: '0.2.0', configurations: [
    { type: 'wavelane', request: 'launch', name, program: path.join(workspace, name), gpu: Array(5).fill('gfx90a').join(), args: ['12000'], env: { WAVELANE_CUS: '80' } },
  ] },
});
fs.mkdirSync(workspace);
fs.copyFileSync(source, path.join(workspace, path.basename(source)));
execFileSync(path.join(path.dirname(wavelane), 'wavelane'), ['compile', path.basename(source)], { cwd: workspace });
const line = 1 + fs.readFileSync(source, 'utf8').split('\n').findIndex(text => text.endsWith('// stop here'));

async function session() {
  const { page } = editor;
  const tab = name => page.locator('.part.panel .composite-bar .action-item a', { hasText: name });
  const tree = page.locator('.pane', { has: page.locator('h3.title:text-is("Waves")') }).locator('.monaco-list-row');
  // Opens a view by keys or a click. It is there when all of these are.
  const time = async (what, open, ...there) => {
    const begin = Date.now();
    await open();
    await Promise.all(there.map(is => is()));
    console.log(`${what}: ${Date.now() - begin} ms`);
  };
  const shows = locator => () => locator.first().waitFor();

  await editor.open(path.basename(source), line);
  await editor.until('the language', 'HIP', () => page.locator('[id="status.editor.mode"]').textContent());
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();
  await page.keyboard.press('F5');
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  await page.waitForTimeout(2000);

  const stack = shows(editor.rows('.debug-call-stack').filter({ hasText: 'rounds (' }));
  const rows = editor.rows('.debug-variables'), variables = shows(rows.filter({ hasText: 'Locals' }));
  await time('call stack and variables', () => page.keyboard.press('Control+Shift+D'), stack, variables);
  await page.keyboard.press('Control+Shift+E');
  await page.locator('.debug-call-stack').waitFor({ state: 'hidden' });
  await time('both again', () => page.keyboard.press('Control+Shift+D'), stack, variables);
  await time('locals', () => rows.filter({ hasText: 'Locals' }).click(), shows(rows.filter({ hasText: 'lane =' })));

  // Each GPU has 2,400 waves, of which 150 don't wait at a barrier.
  const fold = tree.filter({ hasText: '2,250 waves' }).first(), folded = shows(fold);
  await time('waves', () => tab('GPU').click(), folded);
  await time('the lanes beside them, then', () => editor.webview('#grid .cell'));
  await tab('Debug Console').click();
  await tree.first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(1000);
  await time('both again', () => tab('GPU').click(), folded, () => editor.webview('#grid .cell'));
  await time('the waves of a fold', () => fold.click(), shows(tree.filter({ hasText: 'workgroup (' })));
  await editor.picture('waves');
  await page.keyboard.press('Shift+F5');
  await page.locator('.action-label.codicon-debug-stop').first().waitFor({ state: 'hidden' });
}

void editor.run(session);
