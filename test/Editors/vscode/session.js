// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session in VS Code with the extension, by clicks and keys; pictures of it stay in FOLDER.
// Usage: node session.js VSIX WAVELANE PROGRAM SOURCE FOLDER
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, program, source, folder] = process.argv.slice(2);
const editor = new Editor(folder, vsix, {
  folders: [{ path: path.dirname(source) }],
  settings: { 'wavelane.path': wavelane },
  launch: { version: '0.2.0', configurations: [{ type: 'wavelane', request: 'launch', name: 'saxpy', program }] },
});

async function session() {
  const { page } = editor;
  await editor.open(path.basename(source), 13);
  console.log('language:', await editor.until('the language', 'HIP', () => page.locator('[id="status.editor.mode"]').textContent()));
  // Words, types and comments have colors of their own.
  const color = async text => page.locator('.view-line span span', { hasText: text }).first().evaluate(one => getComputedStyle(one).color, null, { timeout: 500 });
  const words = ['// The program', '__device__', 'scale', '"check.h"', '1000'];
  console.log('colors:', await editor.until('the colors', words.length, async () => new Set(await Promise.all(words.map(color))).size));
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();

  // The call stack unfolds the thread that stops if it is there before.
  await page.keyboard.press('Control+Shift+D');
  await page.locator('.debug-call-stack').waitFor();
  await page.keyboard.press('F5');
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  const stack = editor.rows('.debug-call-stack');
  console.log('stopped:', await editor.until('the stack', /^saxpy\(/, async () => stack.filter({ has: page.locator('.stack-frame') }).first().locator('.label').textContent({ timeout: 500 })));
  console.log('lane 0: i', await editor.variable('i', '0'));

  // The Lanes view: a click selects a lane, and the values follow.
  await editor.command('GPU: Focus on Lanes View');
  const lanes = await editor.webview('#grid .cell');
  console.log('cells:', await lanes.locator('.cell').count());
  await lanes.locator('[data-lane="17"]').click();
  console.log('lane 17: i', await editor.variable('i', '17'));
  await editor.until('the focus lane', '17', () => lanes.locator('.cell.focus .number').textContent({ timeout: 500 }));
  await lanes.locator('#expression').fill('t');
  await lanes.locator('#expression').press('Enter');
  console.log('t in lane 63:', await editor.until('t', '189', () => lanes.locator('[data-lane="63"] .value').textContent({ timeout: 500 })));
  console.log('chart:', await lanes.locator('#chart figcaption').textContent());
  await lanes.locator('#coloring').selectOption('value');
  await lanes.locator('.cell.shaded').first().waitFor();

  // A value under the mouse.
  // VS Code shows nothing for a mouse that has arrived before it was done with the last change.
  console.log('hover:', await editor.until('the hover', /lane/, async () => {
    await editor.point(4, 'scale');
    await editor.point(12, 't =');
    return page.locator('.debug-hover-widget .value').first().textContent({ timeout: 3000 });
  }));
  await editor.picture('lanes');

  // The Waves view: a click shows a wave.
  const waves = page.locator('.pane', { has: page.locator('h3.title:text-is("Waves")') });
  await waves.locator('.monaco-list-row', { hasText: '(1,0,0)/1' }).click();
  console.log('wave (1,0,0)/1: i', await editor.variable('i', '320'));
  console.log('dispatch:', (await waves.locator('.monaco-list-row', { hasText: '16 waves' }).last().textContent()).replaceAll('\xa0', ' '));
  await editor.picture('waves');
  await editor.picture('vscode-light', '.part.panel');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await lanes.locator('body.vscode-dark').waitFor();
  await editor.picture('vscode-dark', '.part.panel');
  await editor.command('Preferences: Toggle between Light/Dark Themes');
  await lanes.locator('body.vscode-light').waitFor();

  // The end.
  await editor.command('Remove All Breakpoints');
  await editor.until('the breakpoints', 0, () => editor.rows('.debug-breakpoints').filter({ hasText: 'saxpy.hip' }).count());
  await page.keyboard.press('F5');
  await page.locator('.action-label.codicon-debug-stop').first().waitFor({ state: 'hidden' });
  await editor.command('Debug Console: Focus on Debug Console View');
  console.log('output:', await editor.until('the output', /PASSED/, async () => (await page.locator('.repl .monaco-list-row').allTextContents()).find(text => text.includes('saxpy: '))));
  await editor.picture('end');
}

void editor.run(session);
