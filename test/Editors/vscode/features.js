// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code with the extension: a setting that names a missing file, launch.json's completion, a lane's condition.
// The program is compiled in the workspace, whose path has a space and other letters.
// Usage: node features.js VSIX WAVELANE TOP FOLDER
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, top, folder] = process.argv.slice(2);
const workspace = path.join(folder, 'Мои файлы');
const entry = (name, other) => ({ type: 'wavelane', request: 'launch', name, ...other });
const settings = { 'wavelane.path': '/no/such/wavelane', 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' } };
const launch = { version: '0.2.0', configurations: [
  entry('saxpy', { program: path.join(workspace, 'saxpy') }),
] };
const editor = new Editor(folder, vsix, { folders: [{ path: workspace }], settings, launch });
fs.mkdirSync(path.join(workspace, '.vscode'), { recursive: true });
for (const [file, ...options] of [['test/programs/hip/check.h'], ['test/programs/hip/saxpy.hip', '-O0']]) {
  fs.copyFileSync(path.join(top, file), path.join(workspace, path.basename(file)));
  if (options.length)
    execFileSync(path.join(path.dirname(wavelane), 'wavelane'), ['compile', path.basename(file), ...options], { cwd: workspace });
}
fs.writeFileSync(path.join(workspace, '.vscode', 'launch.json'), '{\n  "version": "0.2.0",\n  "configurations": [\n    \n  ]\n}\n');

async function session() {
  const { page } = editor;
  const dialog = page.locator('.monaco-dialog-box');
  const debugging = page.locator('.action-label.codicon-debug-stop').first();
  const begin = name => editor.command('Debug: Select and Start Debugging', `debug ${name}`);

  // The setting names a file that isn't there: one line says what to do.
  await editor.open('saxpy.hip', 13);
  await begin('saxpy');
  console.log('setting:', await editor.until('the message', /no\/such/, () => dialog.textContent({ timeout: 500 })));
  await editor.picture('setting');
  await page.keyboard.press('Escape');
  await page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
  fs.writeFileSync(editor.workspace, JSON.stringify({ folders: [{ path: workspace }], settings: { ...settings, 'wavelane.path': wavelane }, launch }));

  // launch.json proposes the snippets, as soon as VS Code's support of JSON is ready.
  await editor.open('launch.json', 4);
  const proposals = page.locator('.suggest-widget.visible .monaco-list-row');
  await editor.until('the proposals', true, async () => {
    await page.keyboard.press('Control+Space');
    return proposals.first().waitFor({ timeout: 3000 }).then(() => true);
  });
  await page.keyboard.type('Wavelane');
  console.log('snippets:', await editor.until('the snippets', /^Wavelane: .*core/, async () =>
    (await proposals.locator('.label-name').allTextContents()).sort().join(', ')));
  await editor.picture('snippets');
  await editor.until('the snippet', /with checks/, async () => {
    const chosen = await page.locator('.suggest-widget.visible .monaco-list-row.focused .label-name').textContent({ timeout: 500 });
    await page.keyboard.press(/with checks/.test(chosen) ? 'Enter' : 'ArrowDown');
    return chosen;
  });
  console.log('completed:', await editor.until('the entry', /checks/, async () =>
    (await page.locator('.editor-instance .view-lines').first().textContent()).replaceAll('\xa0', ' ')).then(text => /"gpu": "\w+"/.exec(text)?.[0]));
  await page.keyboard.press('Escape');
  await editor.command('File: Revert File');

  // A condition of lanes, set in the palette, stops in the lane where it holds.
  await editor.open('saxpy.hip', 13);
  await editor.command('Wavelane: Break When Lane Condition', 'i == 717');
  await page.locator('.codicon-debug-breakpoint-conditional').first().waitFor();
  await page.keyboard.press('Control+Shift+D');
  await page.locator('.debug-call-stack').waitFor();
  await begin('saxpy');
  await page.locator('.debug-top-stack-frame-line').first().waitFor();
  console.log('condition: i', await editor.variable('i', '717'));
  await editor.picture('condition');
  await page.keyboard.press('Shift+F5');
  await debugging.waitFor({ state: 'hidden' });
}

void editor.run(session);
