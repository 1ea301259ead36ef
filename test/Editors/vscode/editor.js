// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code as people use it: code-server, in Chromium, driven by clicks and keys.
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

class Editor {
  // folder: of this session. vsix: the extension. workspace: what a .code-workspace file has.
  constructor(folder, vsix, workspace) {
    this.folder = folder;
    this.workspace = path.join(folder, 'test.code-workspace');
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(path.join(folder, 'data', 'User'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'data', 'User', 'settings.json'), JSON.stringify({
      'workbench.startupEditor': 'none', 'workbench.enableExperiments': false, 'telemetry.telemetryLevel': 'off',
      'extensions.autoCheckUpdates': false, 'workbench.colorTheme': 'Default Light Modern', 'window.restoreWindows': 'none',
      'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden', 'workbench.tips.enabled': false,
      'security.workspace.trust.enabled': false, 'git.openRepositoryInParentFolders': 'never', 'debug.internalConsoleOptions': 'openOnSessionStart', 'debug.toolBarLocation': 'docked', 'editor.minimap.enabled': false,
      // A key that goes to the wrong place must not change a source.
      'files.readonlyInclude': { '**/*.hip': true },
    }));
    fs.writeFileSync(this.workspace, JSON.stringify(workspace));
    this.program = require.resolve('code-server');
    this.options = ['--user-data-dir', path.join(folder, 'data'), '--extensions-dir', path.join(folder, 'extensions'), '--config', path.join(folder, 'config.yaml')];
    fs.writeFileSync(path.join(folder, 'config.yaml'), 'auth: none\n');
    const installed = spawnSync(process.execPath, [this.program, ...this.options, '--install-extension', vsix], { encoding: 'utf8' });
    if (installed.status !== 0)
      throw new Error(`the extension can't be installed: ${installed.stdout}${installed.stderr}`);
  }

  async start() {
    this.server = spawn(process.execPath, [this.program, ...this.options, '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
      '--disable-workspace-trust'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const address = await new Promise((resolve, reject) => {
      let text = '';
      const read = data => {
        text += data;
        const found = /HTTP server listening on (http:\S+?)\/?\s/.exec(text);
        if (found)
          resolve(found[1]);
      };
      this.server.stdout.on('data', read);
      this.server.stderr.on('data', read);
      this.server.on('exit', () => reject(new Error(`code-server has ended: ${text}`)));
    });
    this.browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
    this.page = await this.browser.newPage({ viewport: { width: 1400, height: 950 } });
    this.page.setDefaultTimeout(60000);
    await this.page.goto(`${address}/?workspace=${encodeURIComponent(this.workspace)}`, { timeout: 120000 });
    await this.page.locator('.monaco-workbench .explorer-folders-view').waitFor({ timeout: 120000 });
  }

  // A command of the palette. It is there when the extension or the part of VS Code that has it is ready; until the list is filtered, it has others.
  async command(title, ...typed) {
    const input = this.page.locator('.quick-input-widget input');
    await this.until(`the command ${title}`, true, async () => {
      await this.page.keyboard.press('F1');
      await input.waitFor();
      await input.fill(`>${title}`);
      const found = await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title }).waitFor({ timeout: 5000 }).then(() => true, () => false);
      await this.page.keyboard.press(found ? 'Enter' : 'Escape');
      return found;
    });
    for (const text of typed) {
      await this.page.waitForTimeout(100);
      await input.waitFor();
      await input.fill(text);
      await this.page.keyboard.press('Enter');
    }
  }

  // Waits until a function of the page's state says what is expected, and returns it.
  async until(what, expected, read) {
    let seen;
    for (const end = Date.now() + 60000; Date.now() < end; await this.page.waitForTimeout(50)) {
      seen = await read().catch(error => error.message);
      if (expected instanceof RegExp ? expected.test(seen) : seen === expected)
        return seen;
    }
    throw new Error(`${what}: expected ${expected}, last seen: ${seen}`);
  }

  // The rows of a list or tree.
  rows(view) { return this.page.locator(`${view} .monaco-list-row`); }

  // The value of a variable in the Variables view.
  async variable(name, expected) {
    return this.until(`the variable ${name}`, expected, async () => {
      for (const row of await this.rows('.debug-variables').all())
        if (await row.locator('.name').textContent({ timeout: 500 }).catch(() => '') === `${name} =`)
          return await row.locator('.value').textContent({ timeout: 500 });
      return 'not there';
    });
  }

  // Moves the mouse to a piece of the editor's text.
  async point(line, word) {
    const at = await this.page.evaluate(([line, word]) => {
      const number = [...document.querySelectorAll('.line-numbers')].find(one => one.textContent === String(line));
      const top = number.getBoundingClientRect().top;
      const view = [...document.querySelectorAll('.view-line')].find(one => Math.abs(one.getBoundingClientRect().top - top) < 2);
      let rest = view.textContent.replaceAll('\xa0', ' ').search(new RegExp(word));
      const walker = document.createTreeWalker(view, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (rest < node.length) {
          const range = document.createRange();
          range.setStart(node, rest);
          range.setEnd(node, rest + 1);
          const box = range.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }
        rest -= node.length;
      }
      return null;
    }, [line, word]);
    await this.page.mouse.move(at[0], at[1], { steps: 3 });
  }

  // Opens a view of the side bar if it is folded.
  async unfold(title) {
    const header = this.page.locator('.pane-header', { has: this.page.locator(`h3.title:text-is("${title}")`) });
    await header.waitFor();
    if (await header.getAttribute('aria-expanded') !== 'true')
      await header.click();
    return header;
  }

  async open(file, line) {
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`${file}${line ? `:${line}` : ''}`);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: path.basename(file) }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator('.tab.active', { hasText: path.basename(file) }).waitFor();
  }

  // A view of the extension with a page of its own.
  async webview(selector) {
    const deadline = Date.now() + 60000;
    while (Date.now() < deadline) {
      for (const frame of this.page.frames()) {
        const found = await frame.$(selector).catch(() => null);
        if (found)
          return frame;
      }
      await this.page.waitForTimeout(50);
    }
    throw new Error(`no page has ${selector}`);
  }

  // A picture of the page, or of a part of it.
  async picture(name, part) {
    await (part ? this.page.locator(part) : this.page).screenshot({ path: path.join(this.folder, `${name}.png`) });
  }

  // Starts, runs a session, and ends this process: with 1, a message and a picture if the session fails.
  async run(session, atEnd = () => {}) {
    let status = 0;
    try {
      await this.start();
      await session();
    } catch (error) {
      console.log(error.message);
      await this.picture('failed').catch(() => {});
      status = 1;
    }
    await this.stop();
    atEnd();
    process.exit(status);
  }

  async stop() {
    await this.browser?.close();
    if (this.server) {
      this.server.removeAllListeners('exit');
      this.server.kill();
    }
  }
}
module.exports = { Editor };
