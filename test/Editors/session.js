// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session with the protocol's own test client: launch, breakpoint, variables, lane change, step, exit.
// Usage: node session.js LLDB-DAP PROGRAM SOURCE TRACE
const fs = require('fs');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [adapter, program, source, trace] = process.argv.slice(2);
fs.writeFileSync(trace, '');

class Recorder extends DebugClient {
  record(text) { fs.appendFileSync(trace, text + '\n'); }
  doSend(command, args, done) {
    this.record(JSON.stringify({ type: 'request', seq: this.sequence, command, ...(args && { arguments: args }) }));
    super.doSend(command, args, done);
  }
  dispatch(text) {
    this.record(text);
    super.dispatch(text);
  }
}

// A line of the source, counted from 1.
function lineOf(text) {
  return fs.readFileSync(source, 'utf8').split('\n').findIndex(line => line.includes(text)) + 1;
}

async function session(client) {
  const line = lineOf('y[i] += t');
  const scope = async (frameId, name) => (await client.scopesRequest({ frameId })).body.scopes.find(s => s.name === name).variablesReference;
  const variables = async variablesReference => (await client.variablesRequest({ variablesReference })).body.variables;
  const local = async (frameId, name) => (await variables(await scope(frameId, 'Locals'))).find(v => v.name === name).value;

  // The breakpoint is bound when the kernel's code is loaded.
  const bound = client.waitForEvent('breakpoint');
  await client.hitBreakpoint({ program }, { path: source, line, verified: false }, { path: source, line });
  console.log(`breakpoint bound: ${(await bound).body.breakpoint.verified}`);
  const threads = (await client.threadsRequest()).body.threads;
  const waves = threads.filter(t => t.name.startsWith('saxpy ('));
  console.log(`waves: ${waves.length}`);
  const threadId = waves[0].id;
  const frame = (await client.stackTraceRequest({ threadId, levels: 1 })).body.stackFrames[0];
  console.log(`stopped at line: ${frame.line - line}`);
  console.log(`lane 0: i ${await local(frame.id, 'i')} t ${await local(frame.id, 't')}`);

  const lanes = await scope(frame.id, 'Lanes');
  const changed = client.waitForEvent('invalidated');
  await client.setVariableRequest({ variablesReference: lanes, name: 'focus', value: '17' });
  console.log(`reported the change: ${(await changed).body.areas.includes('variables')}`);
  console.log(`lane 17: i ${await local(frame.id, 'i')} t ${await local(frame.id, 't')}`);

  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  const stopped = client.assertStoppedLocation('step', { path: source, line: line + 2 });
  await client.nextRequest({ threadId });
  await stopped;
  console.log('stepped');

  const ended = Promise.all([client.waitForEvent('exited'), client.waitForEvent('terminated')]);
  await client.continueRequest({ threadId });
  console.log(`exit code: ${(await ended)[0].body.exitCode}`);
  await client.stop();
}

const client = new Recorder(adapter, [], 'wavelane');
client.defaultTimeout = 60000;
// The test client doesn't announce support for events of later protocol versions.
const initialize = client.initializeRequest.bind(client);
client.initializeRequest = () => initialize({ adapterID: 'wavelane', linesStartAt1: true, columnsStartAt1: true, pathFormat: 'path', supportsInvalidatedEvent: true });
client.start().then(() => session(client)).then(
  () => process.exit(0),
  error => {
    console.log(error);
    client.stopAdapter();
    process.exit(1);
  });
