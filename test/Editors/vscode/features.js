// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code with the extension: a setting and a program that are not there, launch.json's completion and schema, a lane's condition.
// The program is compiled in the workspace, whose path has a space and other letters.
// Usage: node features.js VSIX WAVELANE TOP FOLDER
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, top, folder] = process.argv.slice(2);
const workspace = path.join(folder, 'Мои файлы');
const entry = (name, other) => ({ type: 'wavelane', request: 'launch', name, ...other });
const settings = { 'wavelane.path': '/no/such/wavelane', 'files.autoSave': 'off', 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' } };
const launch = { version: '0.2.0', configurations: [
  entry('saxpy', { program: path.join(workspace, 'saxpy') }),
  entry('none', { program: '/no/such/program' }),
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
  const propose = () => editor.until('the proposals', true, async () => {
    await page.keyboard.press('Control+Space');
    return proposals.first().waitFor({ timeout: 3000 }).then(() => true);
  });
  await propose();
  await page.keyboard.type('Wavelane');
  console.log('snippets:', await editor.until('the snippets', /^Wavelane: .*core/, async () =>
    (await proposals.locator('.label-name').allTextContents()).sort().join(', ')));
  await editor.picture('snippets');
  await page.keyboard.press('Escape');
  const problems = () => page.locator('[id="status.problems"] a').getAttribute('aria-label', { timeout: 500 });
  const text = async () => (await page.locator('.editor-instance .view-lines').first().textContent()).replaceAll('\xa0', ' ');
  // Each is valid against the schema, which does object to a wrong word.
  const labels = ['attach', 'core file', 'job of several ranks', 'HIP program', 'HIP program with checks'];
  for (const label of labels) {
    await editor.command('File: Revert File');
    await editor.open('launch.json', 4);
    await propose();
    await editor.until(label, label, async () => {
      const chosen = (await page.locator('.suggest-widget.visible .monaco-list-row.focused .label-name').textContent({ timeout: 3000 })).split('Wavelane: ')[1];
      await page.keyboard.press(chosen === label ? 'Enter' : 'ArrowDown');
      return chosen;
    });
    await editor.until('the entry', /"request": "\w+"/, text);
    await page.keyboard.press('Escape');
    // VS Code is known to have read the entry when it has read what follows.
    await page.keyboard.press('Control+End');
    await page.keyboard.type('x');
    await editor.until('the only problem', 'Errors: 1', problems);
    await page.keyboard.press('Backspace');
    console.log(`${label}:`, await editor.until('the problems', 'No Problems', problems));
  }
  console.log('completed:', /"gpu": "\w+"/.exec(await text())?.[0]);
  await editor.picture('completed');
  fs.writeFileSync(path.join(workspace, '.vscode', 'launch.json'), JSON.stringify({ version: '0.2.0', configurations: [entry('wrong', { program: 'x', runtime: 'roc' })] }));
  await editor.command('File: Revert File');
  await editor.until('the problem', /1/, problems);
  await editor.command('Problems: Focus on Problems View');
  console.log('wrong:', await page.locator('.markers-panel .marker-message-line').first().textContent());

  // A program that isn't there.
  await begin('none');
  console.log('program:', await editor.until('the message', /no\/such/, () => dialog.textContent({ timeout: 500 })));
  await editor.picture('program');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  // A condition of lanes, from the menu of a line's number, stops in the lane where it holds.
  await editor.open('saxpy.hip', 1);
  await page.locator('.line-numbers', { hasText: /^13$/ }).click({ button: 'right' });
  await page.locator('.monaco-menu .action-label', { hasText: 'Break When Lane Condition' }).click();
  await page.locator('.quick-input-widget input').fill('i == 717');
  await page.keyboard.press('Enter');
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
