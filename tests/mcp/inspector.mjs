// The Inspector's command line, by HTTP and on stdio.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clients, expect, node, program, run, withFixtures, withProject } from './support.mjs';

const home = mkdtempSync(join(tmpdir(), 'inspector-'));
const inspect = async (target, ...words) => {
  const inspector = clients + '/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
  const { code, out, err } = await run([node, inspector, '--cli', ...target, ...words], { HOME: home });
  expect(`the Inspector is content with ${words.join(' ')}`, code === 0, { code, out, err });
  return JSON.parse(out);
};

await withFixtures(async (url) => {
  const listed = await inspect([url.href, '--transport', 'http'], '--method', 'tools/list');
  expect('it lists the tools', listed.tools.some((tool) => tool.name === 'pale_echo'), listed);
  const words = ['--method', 'tools/call', '--tool-name', 'pale_echo', '--tool-arg', 'text=hello'];
  const echo = await inspect([url.href, '--transport', 'http'], ...words);
  expect('it calls one', echo.structuredContent.text === 'hello', echo);
  const prompts = await inspect([url.href, '--transport', 'http'], '--method', 'prompts/list');
  expect('it lists prompts', prompts.prompts.length === 5, prompts);
});
const own = await inspect([program, 'mcp', '--manage'], '--method', 'tools/list');
expect('it lists Pale\'s tools', own.tools.some((tool) => tool.name === 'project_list'), own);
const list = await inspect([program, 'mcp', '--manage'], '--method', 'tools/call', '--tool-name', 'project_list');
expect('it calls one of them', list.structuredContent !== undefined, list);
await withProject(async (words) => {
  const tools = await inspect([program, ...words], '--method', 'tools/list');
  expect('it lists the tools of a project', tools.tools.some((tool) => tool.name === 'read_file'), tools);
  const reading = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-arg', 'path=hello.txt'];
  const read = await inspect([program, ...words], ...reading);
  expect('it reads a file', read.structuredContent.content === 'hello\n', read);
});
rmSync(home, { recursive: true });
