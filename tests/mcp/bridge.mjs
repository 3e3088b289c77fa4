// A real MCP client (SDK 1) for tests that are written in C++: reads {id, tool, arguments} or {cancel: id}, a line each; writes
// {id, result}, {id, failed} or {id, progress}. node bridge.mjs COMMAND ARGUMENTS… starts the server and talks to it on stdio.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const load = createRequire(process.env.PALE_MCP_CLIENTS + '/package.json');
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'pale-tests', version: '1.0.0' });
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
const write = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const running = new Map();

async function call(id, tool, given) {
  const stop = new AbortController();
  running.set(id, stop);
  const options = { signal: stop.signal, timeout: 120_000, onprogress: (progress) => write({ id, progress }) };
  try {
    write({ id, result: await client.callTool({ name: tool, arguments: given }, undefined, options) });
  } catch (error) {
    write({ id, failed: String(error.message ?? error) });
  }
  running.delete(id);
}

await client.connect(transport);
await client.listTools(); // From here on answers are checked against the tools' output schemas.
write({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const wish = JSON.parse(line);
  if (wish.cancel !== undefined) running.get(wish.cancel)?.abort('cancelled by the test');
  else void call(wish.id, wish.tool, wish.arguments);
}
await client.close();
