// Client 2, of the newer era: against the fixtures by HTTP, and against Pale's own tools on stdio.
import { expect, failure, load, pause, program, useApprovals, useTools, withFixtures, withProject } from './support.mjs';

const { Client, StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

const newest = { mode: { pin: '2026-07-28' } };
const call = (client, name, args, options) => client.callTool({ name, arguments: args }, options);

async function byHttp(url) {
  const client = new Client(
    { name: 'client2', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: newest },
  );
  client.setRequestHandler('elicitation/create', (request) => {
    const answers = request.params.message.startsWith('Step 1') ? { name: 'Bo' } : { color: 'red' };
    return { action: 'accept', content: answers };
  });
  await client.connect(new StreamableHTTPClientTransport(url));
  expect('it speaks the newer era', client.getNegotiatedProtocolVersion() === '2026-07-28');

  const { tools } = await client.listTools();
  expect('there are tools', tools.length > 20, tools);
  const echo = await call(client, 'pale_echo', { text: 'hä' });
  expect('structured content comes back', echo.structuredContent.text === 'hä', echo);
  const marked = await call(client, 'test_header_argument', { region: 'Zürich ' });
  expect('an argument may be repeated in a header', marked.content[0].text === 'Zürich ', marked);
  const wrong = await call(client, 'pale_sleep', { milliseconds: 'long' });
  expect('a wrong argument is named', wrong.isError && wrong.content[0].text.includes('milliseconds'), wrong);
  const unknown = await failure(call(client, 'no_such_tool', {}));
  expect('an unknown tool is an error of the protocol', unknown?.code === -32602, unknown);

  const steps = [];
  await call(client, 'test_tool_with_progress', {}, { onprogress: (step) => steps.push(step.progress) });
  expect('progress is told', steps.length === 3 && steps[1] === 50, steps);
  const asked = await call(client, 'test_input_required_result_multi_round', {});
  expect('the user is asked, twice', asked.content[0].text === '{"name":"Bo"}{"color":"red"}', asked);

  const stop = new AbortController();
  const sleeping = failure(call(client, 'pale_sleep', { milliseconds: 60_000 }, { signal: stop.signal }));
  await pause(200);
  stop.abort();
  await sleeping;
  await pause(200);
  const slept = (await call(client, 'pale_slept', {})).structuredContent;
  expect('cancelling stops the call', slept.cancelled === 1, slept);
  await client.close();
}

async function onStdio(versionNegotiation, expected) {
  const client = new Client({ name: 'client2', version: '1' }, { versionNegotiation });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--manage'], env: process.env }));
  expect('the era is the one asked for', client.getNegotiatedProtocolVersion() === expected, client.getNegotiatedProtocolVersion());
  const { tools } = await client.listTools();
  expect('there are Pale\'s tools', tools.some((tool) => tool.name === 'project_list'), tools);
  const list = await call(client, 'project_list', {});
  expect('projects are listed', !list.isError && list.structuredContent, list);
  const missing = await call(client, 'project_get', { project_id: 'no-such-project' });
  expect('what is not there is an error of the tool', missing.isError, missing);
  await client.close();
}

async function insideAProject(versionNegotiation, args) {
  const client = new Client({ name: 'client2', version: '1' }, { versionNegotiation });
  await client.connect(new StdioClientTransport({ command: program, args, env: process.env }));
  const { tools } = await client.listTools();
  await useTools(tools, (name, given, options) => call(client, name, given, options));
  await client.close();
}

async function whereAZoneAsks(versionNegotiation, args, ask) {
  const client = new Client({ name: 'client2', version: '1' }, { capabilities: ask ? { elicitation: {} } : {}, versionNegotiation });
  if (ask) client.setRequestHandler('elicitation/create', (request) => ask(request.params));
  await client.connect(new StdioClientTransport({ command: program, args, env: process.env }));
  return { call: (name, given) => call(client, name, given), close: () => client.close() };
}

await withFixtures(byHttp);
await onStdio(newest, '2026-07-28');
await onStdio({ mode: 'auto' }, '2026-07-28');
await onStdio({ mode: 'legacy' }, '2025-11-25');
for (const mode of [newest, { mode: 'auto' }, { mode: 'legacy' }]) await withProject((args) => insideAProject(mode, args));
for (const mode of [newest, { mode: 'legacy' }]) await useApprovals((args, ask) => whereAZoneAsks(mode, args, ask));
