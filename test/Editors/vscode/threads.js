// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code with the extension: the call stack of waves that aren't all listed, the Lanes scope, lanes as threads, buttons for going back, lanes that go on elsewhere, and a fault's name and badge.
// Usage: node threads.js VSIX WAVELANE PROGRAMS SOURCES FOLDER
const path = require('path');
const { Editor } = require('./editor.js');

const [vsix, wavelane, programs, sources, folder] = process.argv.slice(2);
const entry = (name, program, other) => ({ type: 'wavelane', request: 'launch', name, program: path.join(programs, program), ...other });
const editor = new Editor(folder, vsix, {
  folders: [{ path: sources }],
  settings: { 'wavelane.path': wavelane },
  launch: { version: '0.2.0', configurations: [
    entry('limited', 'saxpy-O0', { waveLimit: 4 }),
    entry('lanes', 'saxpy-O0', { lanesAsThreads: true }),
    entry('plain', 'saxpy-O0'),
    entry('diverged', 'stops-O0', { args: ['diverge'], preRunCommands: ["breakpoint set -f stops.hip -p 'even again'"] }),
    entry('fault', 'faults-O0', { args: ['violation'] }),
  ] },
});

async function session() {
  const { page } = editor;
  const stack = editor.rows('.debug-call-stack'), variables = editor.rows('.debug-variables');
  const row = (text, rows = stack) => rows.filter({ hasText: text }).first();
  const text = async one => (await one.textContent({ timeout: 500 })).replaceAll('\xa0', ' ');
  const begin = async name => {
    await editor.command('Debug: Select and Start Debugging', `debug ${name}`);
    await page.locator('.debug-top-stack-frame-line, .exception-widget').first().waitFor();
  };
  const end = async () => {
    await page.keyboard.press('Shift+F5');
    await page.locator('.action-label.codicon-debug-stop').first().waitFor({ state: 'hidden' });
  };
  const unfold = async (one, inside) => {
    await one.click();
    await page.keyboard.press('ArrowRight');
    await inside.waitFor();
  };

  await editor.open('saxpy.hip', 13);
  await editor.until('the language', 'HIP', () => page.locator('[id="status.editor.mode"]').textContent());
  await page.keyboard.press('F9');
  await page.locator('.codicon-debug-breakpoint').first().waitFor();
  await page.keyboard.press('Control+Shift+D');
  await page.locator('.debug-call-stack').waitFor();

  // The waves beyond the limit are frames, and one of them is shown.
  await begin('limited');
  for (const title of ['Watch', 'Breakpoints'])
    await page.locator('.pane-header', { has: page.locator(`h3.title:text-is("${title}")`) }).click();
  await unfold(row('12 more waves'), row('(1,0,0)/0'));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  console.log('the last wave: i', await editor.variable('i', '960'));

  // Its Lanes scope marks the focus lane, and says why others are inactive.
  await unfold(row('Lanes', variables), row('focus =', variables));
  for (const lane of ['lane 0 =', 'lane 63 =']) {
    await editor.until(lane, true, async () => {
      await page.keyboard.press('ArrowDown');
      return row(lane, variables).isVisible();
    });
    console.log(await text(row(lane, variables)));
  }
  await editor.picture('limited');
  await end();

  // Lanes as threads: the chosen one is the focus lane, in its own name and the wave's.
  await begin('lanes');
  await unfold(row('lane 2:'), stack.filter({ has: page.locator('.stack-frame') }).nth(1));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  console.log('lane 2: i', await editor.variable('i', '2'));
  console.log(await editor.until('the wave', /lane 2/, () => text(row('saxpy (0,0,0)/0'))));
  console.log(await editor.until('the lane', /focus/, () => text(row('lane 2:'))));
  await editor.picture('lanes');
  await end();

  // The buttons for going back.
  await begin('plain');
  const frame = stack.filter({ has: page.locator('.stack-frame') }).first();
  const line = expected => editor.until('the line', expected, async () => ((await text(frame)).match(/(\d+)(?::\d+)?$/) || [])[1]);
  console.log('stopped at', await line('13'));
  await page.locator('.codicon-debug-step-back').first().click();
  console.log('back at', await line('12'));
  await page.locator('.codicon-debug-reverse-continue').first().click();
  console.log('the beginning:', await line('9'), await page.locator('.exception-widget').count());
  await editor.picture('back');
  await end();

  // Where inactive lanes go on.
  await begin('diverged');
  await unfold(row('Lanes', variables), row('focus =', variables));
  console.log(await text(row('lane 1 =', variables)));
  await editor.picture('diverged');
  await end();

  // A fault is a badge beside the wave's name.
  await begin('fault');
  console.log(await text(row('violate (')));
  await editor.picture('fault');
  await end();
}

void editor.run(session);
