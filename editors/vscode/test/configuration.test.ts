// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { describe, it } from 'node:test';
import { checkFiles, checksOf, complete } from '../src/configuration';

const launch = { type: 'wavelane', request: 'launch', name: 'test', program: '/saxpy' };
const attach = { type: 'wavelane', request: 'attach', name: 'test' };

describe('a configuration', () => {
  it('is sent as it is if it has only the adapter\'s keys', () => {
    const config = { ...launch, args: ['1'], lanesAsThreads: true };
    assert.deepEqual(complete(config), config);
  });

  it('sets what the adapter has settings for, before the user\'s commands', () => {
    assert.deepEqual(complete({ ...launch, gpu: 'simulated', runtime: 'amd', checks: ['memory', 'race'], initCommands: ['version'] }), {
      ...launch, hasChecks: true, initCommands: [
        '?!settings set plugin.process.amdgpu.device simulated',
        '?!settings set plugin.process.amdgpu.runtime amd',
        '?!settings set plugin.process.amdgpu.check memory,race',
        'version'],
    });
  });

  it('names a simulated GPU in the environment', () => {
    const result = complete({ ...launch, gpu: 'gfx942', env: ['A=1=2', 'B'] });
    assert.deepEqual(result.env, { A: '1=2', B: '', WAVELANE_PROCESSOR: 'gfx942' });
    assert.deepEqual(complete({ ...launch, gpu: 'gfx942', env: { A: '1' } }).env, { A: '1', WAVELANE_PROCESSOR: 'gfx942' });
  });

  it('takes a job\'s launcher as words', () => {
    assert.deepEqual(complete({ ...launch, job: ['mpirun', '-n', '4'] }).job, ['mpirun', '-n', '4']);
    assert.throws(() => complete({ ...launch, job: 4 }), /'job' must be a list of strings/);
  });

  it('takes a job\'s processes and core files', () => {
    const attach = { type: 'wavelane', request: 'attach', name: 'test' };
    assert.deepEqual(complete({ ...attach, job: '1234' }).job, ['1234']);
    assert.deepEqual(complete({ ...attach, job: [1234, 'node1:1235'] }).job, ['1234', 'node1:1235']);
    assert.deepEqual(complete({ ...attach, job: ['core.*'] }).job, ['core.*']);
    assert.throws(() => complete({ ...attach, job: { pid: 1234 } }), /'job' must be processes, or core files/);
  });

  it('takes checks as a list or as words', () => {
    assert.deepEqual(checksOf({ ...launch, checks: 'memory, race' }), ['memory', 'race']);
    assert.deepEqual(checksOf({ ...launch, checks: [] }), []);
    assert.deepEqual(checksOf(launch), []);
  });

  it('opens cores and attaches', () => {
    assert.equal(complete({ ...attach, program: '/saxpy', core: '/core' }).coreFile, '/core');
    assert.equal(complete({ ...attach, pid: '4711' }).pid, 4711);
  });

  it('says what is wrong', () => {
    assert.throws(() => complete({ ...launch, checks: ['memroy'] }), /'checks' has no 'memroy': it is one of memory/);
    assert.throws(() => complete({ ...launch, checks: 7 }), /'checks' must be a list/);
    assert.throws(() => complete({ ...launch, gpu: 'mi300' }), /'gpu' has no 'mi300'/);
    assert.throws(() => complete({ ...launch, gpu: 'gfx90a; quit' }), /'gpu' has no/);
    assert.throws(() => complete({ ...launch, runtime: 'nvidia' }), /'runtime' has no 'nvidia'/);
    assert.throws(() => complete({ ...launch, program: '' }), /'program' is missing/);
    assert.throws(() => complete({ ...attach, pid: 'saxpy' }), /must be a number/);
    assert.throws(() => complete(attach), /Say what to attach to/);
  });

  it('names files that are not there', () => {
    assert.throws(() => checkFiles(complete({ ...launch, program: '/no/such' })), /'program' is '\/no\/such', which isn't there: build it, or correct launch.json\./);
    assert.throws(() => checkFiles(complete({ ...attach, program: __filename, core: '/no/core' })), /'core' is '\/no\/core', which isn't there: correct launch.json\./);
    checkFiles(complete({ ...launch, program: __filename }));
    checkFiles(complete({ ...attach, program: 'saxpy', waitFor: true }));
    checkFiles(complete({ ...attach, pid: 1 }));
  });
});

interface Schema { properties: Record<string, { description?: string; markdownDescription?: string }> }

it('every key of launch.json has a description', () => {
  // From out/test.
  const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    contributes: { debuggers: { configurationAttributes: Record<string, Schema>; configurationSnippets: { body: Record<string, unknown> }[] }[] };
  };
  const [debug] = manifest.contributes.debuggers;
  for (const [request, { properties }] of Object.entries(debug.configurationAttributes))
    for (const [key, value] of Object.entries(properties))
      assert.match(value.description ?? value.markdownDescription ?? '', /^[A-Z].*\.$/, `${request}: ${key}`);
  for (const { body } of debug.configurationSnippets)
    for (const key of Object.keys(body).filter(key => !['type', 'request', 'name'].includes(key)))
      assert.ok(key in debug.configurationAttributes[body.request as string].properties, `a snippet's ${key}`);
});
