// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code with the extension: a session whose checks find a race, its report, its core file, and a program to attach to.
// Usage: node other-sessions.js VSIX WAVELANE PROGRAMS SOURCES FOLDER
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, programs, sources, folder] = process.argv.slice(2);
const races = path.join(programs, 'race-bugs-O0');
const report = path.join(folder, 'report.html'), core = path.join(folder, 'core');
const entry = (name, other) => ({ type: 'wavelane', request: 'attach', name, ...other });
const editor = new Editor(folder, vsix, {
  folders: [{ path: sources }],
  settings: { 'wavelane.path': wavelane },
  launch: { version: '0.2.0', configurations: [
    entry('race', { request: 'launch', program: races, args: ['barrier'], checks: ['race'] }),
    entry('core', { program: races, core }),
    entry('attach', { pid: '${command:pickProcess}' }),
  ] },
});

let program;
async function session() {
  const { page } = editor;
  const stack = editor.rows('.debug-call-stack');
  const input = page.locator('.quick-input-widget input');
  const debugging = '.action-label.codicon-debug-stop, .action-label.codicon-debug-disconnect';
  const ended = () => page.locator(debugging).first().waitFor({ state: 'hidden' });
  const begin = name => editor.command('Debug: Select and Start Debugging', `debug ${name}`);
  await editor.open('race-bugs.hip', 12);
  await page.keyboard.press('Control+Shift+D');
  await page.locator('.debug-call-stack').waitFor();

  // A finding is a stop, with its text in the exception's box, and a problem of the file.
  await begin('race');
  const box = page.locator('.exception-widget');
  await box.waitFor();
  console.log('exception:', (await box.locator('.description').textContent()).replaceAll('\xa0', ' '));
  await editor.command('Problems: Focus on Problems View');
  console.log('problem:', await editor.until('the problem', /tile/, () => page.locator('.markers-panel .monaco-list-row .marker-message-line').first().textContent({ timeout: 500 })));
  await editor.picture('finding');

  await editor.command('Wavelane: Save Report');
  // The dialog begins with the workspace's folder, which it has to read first.
  await editor.until('the dialog', /\/hip\/$/, () => input.inputValue());
  await page.waitForTimeout(500);
  await input.fill(report);
  // While the dialog reads the folder, it ignores its button.
  const ok = page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' });
  await editor.until('the end of the dialog', false, async () => {
    await page.waitForTimeout(500);
    await ok.click({ timeout: 1000 }).catch(() => {});
    return ok.isVisible();
  });
  await editor.until('the report', true, async () => fs.existsSync(report) && fs.readFileSync(report, 'utf8').includes('</html>'));
  console.log('report: names the race:', fs.readFileSync(report, 'utf8').includes('Race in local memory'));
  await page.keyboard.press('Escape');

  await editor.command('Debug Console: Focus on Debug Console View');
  await page.locator('.repl-input-wrapper .monaco-editor.focused').waitFor();
  await page.keyboard.type(`\`process save-core ${core}\n`);
  await editor.until('the core', true, async () => fs.existsSync(core));
  await page.keyboard.press('Shift+F5');
  await ended();

  await begin('core');
  console.log('core:', await editor.until('the box of the core', /tile/, async () => box.locator('.description').textContent({ timeout: 500 })));
  await editor.picture('core');
  await page.keyboard.press('Shift+F5');
  await ended();

  // The program waits for its input, its waves for the program.
  program = spawn(path.join(path.dirname(wavelane), 'wavelane-run'), [path.join(programs, 'attach')], { stdio: ['pipe', 'pipe', 'inherit'] });
  program.stdin.write('\n');
  await new Promise(resolve => program.stdout.on('data', data => { if (String(data).includes('running')) resolve(); }));
  const pid = String(program.pid);
  await begin('attach');
  await editor.until('the list of processes', 'The process to attach to', () => input.getAttribute('placeholder'));
  await input.fill(pid);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: pid }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator(debugging).first().waitFor();
  await stack.first().waitFor();
  await page.locator('.action-label.codicon-debug-pause').first().click();
  console.log('attached:', await editor.until('a wave', /spin/, async () => (await stack.allTextContents()).join(' ')).then(text => /spin \([01],0,0\)\/0/.exec(text)?.[0]));
  await editor.picture('attached');
}

void editor.run(session, () => program?.kill('SIGKILL'));
