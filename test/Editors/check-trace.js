// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a recorded trace, one message a line, against the schema of the Debug Adapter Protocol, and that each request
// has one response. The schema is made from the protocol's own declarations, which are generated from its JSON schema.
// Usage: node check-trace.js TRACE
const fs = require('fs');
const Ajv = require('ajv');
const { createGenerator } = require('ts-json-schema-generator');

const schema = createGenerator({
  path: require.resolve('@vscode/debugprotocol/lib/debugProtocol.d.ts'),
  type: '*', skipTypeCheck: true, additionalProperties: true,
}).createSchema('*');
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addSchema(schema, 'protocol');

// "setBreakpoints" -> DebugProtocol.SetBreakpointsRequest
function definition(name, kind) {
  const full = 'DebugProtocol.' + name[0].toUpperCase() + name.slice(1) + kind;
  return full in schema.definitions ? full : undefined;
}

function kindOf(message) {
  switch (message.type) {
    case 'event': return definition(message.event, 'Event');
    case 'request': return definition(message.command, 'Request');
    // The protocol specifies only the message of a failed response.
    case 'response': return message.success ? definition(message.command, 'Response') : 'DebugProtocol.Response';
  }
}

const seen = new Set();
const open = new Map();
let wrong = 0;
function complain(number, text) {
  ++wrong;
  console.log(`message ${number}: ${text}`);
}
const lines = fs.readFileSync(process.argv[2], 'utf8').split('\n').filter(line => line);
lines.forEach((line, index) => {
  const message = JSON.parse(line);
  const kind = kindOf(message);
  if (!kind)
    return complain(index + 1, `${message.type} '${message.event || message.command}' isn't the protocol's`);
  seen.add(kind);
  const validate = ajv.getSchema('protocol#/definitions/' + encodeURIComponent(kind));
  if (!validate(message))
    complain(index + 1, `${kind}: ${ajv.errorsText(validate.errors)}\n${line.slice(0, 500)}`);
  if (message.type === 'request')
    open.set(message.seq, message.command);
  if (message.type === 'response') {
    if (open.get(message.request_seq) !== message.command)
      complain(index + 1, `response to '${message.command}', which isn't waited for`);
    if (!message.success && !message.message)
      complain(index + 1, `'${message.command}' failed without saying why`);
    open.delete(message.request_seq);
  }
});
for (const [, command] of open)
  complain(lines.length, `'${command}' was never answered`);
console.log(`${lines.length} messages of ${seen.size} kinds, ${wrong} wrong`);
process.exit(lines.length && !wrong ? 0 : 1);
