// SDK 1, the client of the older era: against the fixtures by HTTP, and against Pale's own tools on stdio.
import { expect, failure, load, pause, program, useApprovals, useTools, withFixtures, withProject } from './support.mjs';

const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema, ToolListChangedNotificationSchema } = load('@modelcontextprotocol/sdk/types.js');

const call = (client, name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

async function byHttp(url) {
  const client = new Client({ name: 'sdk1', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Bo' } }));
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void ++changes);
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  expect('there is a session', transport.sessionId?.length === 32, transport.sessionId);
  expect('the server says who it is', client.getServerVersion().name === 'pale-fixtures');
  await client.ping();

  const first = (await client.listTools()).tools;
  const second = (await client.listTools()).tools;
  expect('tools come in the same order', JSON.stringify(first) === JSON.stringify(second));
  const echo = await call(client, 'pale_echo', { text: 'hä\n\u0000' });
  expect('structured content comes back', echo.structuredContent.text === 'hä\n\u0000', echo);
  expect('and is text too', JSON.parse(echo.content[0].text).text === 'hä\n\u0000', echo);
  const wrong = await call(client, 'pale_sleep', { milliseconds: 'long' });
  expect('a wrong argument is named', wrong.isError && wrong.content[0].text.includes('milliseconds'), wrong);
  const unknown = await failure(call(client, 'no_such_tool', {}));
  expect('an unknown tool is an error of the protocol', unknown?.code === -32602, unknown);

  const steps = [];
  await call(client, 'test_tool_with_progress', {}, { onprogress: (step) => steps.push(step.progress) });
  expect('progress is told', steps.length === 3 && steps[1] === 50, steps);
  const asked = await call(client, 'test_input_required_result_elicitation', {});
  expect('the user is asked', asked.content[0].text === 'Hello, Bo!', asked);
  await call(client, 'test_trigger_tool_change', {});
  await pause(100);
  expect('changes are told', changes === 1, changes);
  const later = await call(client, 'test_reconnection', {});
  expect('an answer is fetched later', later.content[0].text.includes('completed'), later);

  const stop = new AbortController();
  const sleeping = failure(call(client, 'pale_sleep', { milliseconds: 60_000 }, { signal: stop.signal }));
  await pause(200);
  stop.abort();
  await sleeping;
  await pause(200);
  const slept = (await call(client, 'pale_slept', {})).structuredContent;
  expect('cancelling stops the call', slept.cancelled === 1, slept);
  await transport.terminateSession();
  expect('the session is over', (await failure(client.ping())) !== undefined);
  await client.close();
}

async function onStdio() {
  const client = new Client({ name: 'sdk1', version: '1' });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--manage'], env: process.env }));
  const { tools } = await client.listTools();
  expect('there are Pale\'s tools', tools.some((tool) => tool.name === 'project_list'), tools);
  expect('each has schemas and annotations', tools.every((tool) => tool.outputSchema && tool.annotations), tools);
  const list = await call(client, 'project_list', {});
  expect('projects are listed', !list.isError && list.structuredContent, list);
  const missing = await call(client, 'project_get', { project_id: 'no-such-project' });
  expect('what is not there is an error of the tool', missing.isError, missing);
  await client.close();
}

async function insideAProject(args) {
  const client = new Client({ name: 'sdk1', version: '1' });
  await client.connect(new StdioClientTransport({ command: program, args, env: process.env }));
  const { tools } = await client.listTools();
  await useTools(tools, (name, given, options) => call(client, name, given, options));
  await client.close();
}

async function whereAZoneAsks(args, ask) {
  const client = new Client({ name: 'sdk1', version: '1' }, { capabilities: ask ? { elicitation: {} } : {} });
  if (ask) client.setRequestHandler(ElicitRequestSchema, (request) => ask(request.params));
  await client.connect(new StdioClientTransport({ command: program, args, env: process.env }));
  return { call: (name, given) => call(client, name, given), close: () => client.close() };
}

await withFixtures(byHttp);
await onStdio();
await withProject(insideAProject);
await useApprovals(whereAZoneAsks);
