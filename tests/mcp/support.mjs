// What the scripts here share: the clients ($PALE_MCP_CLIENTS), and the program under test ($PALE_PROGRAM).
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const clients = process.env.PALE_MCP_CLIENTS;
export const program = process.env.PALE_PROGRAM;
export const load = createRequire(clients + '/package.json');

// Some of the clients need a newer Node than the system may have.
export const node =
  ['x64', 'arm64'].map((machine) => `${clients}/node_modules/node-linux-${machine}/bin/node`).find(existsSync) ??
  process.execPath;

export function expect(what, condition, found) {
  if (!condition) throw new Error(`not so: ${what} ${found === undefined ? '' : JSON.stringify(found, null, 1)}`);
}

export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Runs the server of the fixtures meanwhile. It must end by itself when it is told to.
export async function withFixtures(use) {
  const server = spawn(program, ['serve', '--conformance-fixtures', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => server.on('exit', (code, signal) => done(code ?? signal)));
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    await use(new URL((await lines.next()).value));
  } finally {
    server.kill('SIGTERM');
  }
  const impatience = setTimeout(() => server.kill('SIGKILL'), 15_000);
  const end = await ended;
  clearTimeout(impatience);
  expect('the server ends with 0 on SIGTERM', end === 0, end);
}

// The words that serve the tools of a project, which has a file hello.txt and is gone afterwards.
export async function withProject(use) {
  const root = mkdtempSync(join(tmpdir(), 'pale-tools-'));
  writeFileSync(join(root, 'hello.txt'), 'hello\n');
  try {
    await use(['mcp', '--project-root', root, '--trust', 'shell']);
  } finally {
    rmSync(root, { recursive: true });
  }
}

// What every client should find there. `call(name, arguments, options)`.
export async function useTools(tools, call) {
  for (const name of ['read_file', 'write_file', 'edit_file', 'list_directory', 'tree', 'run_command', 'boundary'])
    expect(`there is ${name}`, tools.some((tool) => tool.name === name), tools);
  expect('each has schemas and annotations', tools.every((tool) => tool.outputSchema && tool.annotations), tools);
  const read = await call('read_file', { path: 'hello.txt' });
  expect('a file is read', read.content[0].text === 'hello\n' && read.structuredContent.content === 'hello\n', read);
  await call('write_file', { path: 'new.txt', content: 'ä\n' });
  const edited = await call('edit_file', { path: 'new.txt', edits: [{ oldText: 'ä', newText: 'ö' }] });
  expect('an edit answers with the difference', edited.structuredContent.diff.includes('-ä\n+ö\n'), edited);
  const denied = await call('write_file', { path: '/etc/passwd', content: '' });
  expect('a refusal names the rule', denied.isError && denied.content[0].text.includes('The rule: '), denied);
  const wrong = await call('read_file', { path: 7 });
  expect('a wrong argument is named', wrong.isError && wrong.content[0].text.includes('path: '), wrong);
  const said = [];
  const ran = await call('run_command', { command: 'echo one; sleep 0.3; exit 3' }, { onprogress: (step) => said.push(step) });
  expect('a command has its exit code', ran.structuredContent.exitCode === 3, ran);
  expect('its output is told as it comes', said[0]?.message === 'one\n', said);
  const stop = new AbortController();
  const sleeping = failure(call('run_command', { command: 'sleep 60' }, { signal: stop.signal }));
  await pause(200);
  stop.abort();
  await sleeping;
  const after = await call('run_command', { command: ['pgrep', '-c', 'sleep'] });
  expect('cancelling ends it', ['0\n', '1\n'].includes(after.structuredContent.output), after);
}

// What every client should find where a zone asks. `connect(words, ask)` gives {call, close}; without `ask` the client cannot ask.
export async function useApprovals(connect) {
  const root = mkdtempSync(join(tmpdir(), 'pale-asks-'));
  const file = join(root, 'data/a.txt');
  const now = () => readFileSync(file, 'utf8');
  mkdirSync(join(root, '.pale'));
  mkdirSync(join(root, 'data'));
  writeFileSync(join(root, '.pale/project.toml'), '[project]\nid = "asks"\n[zones.data]\n');
  writeFileSync(file, 'one\n');
  const words = ['mcp', '--project-root', root];
  try {
    for (const action of ['decline', 'cancel', 'accept']) {
      const shown = [];
      const client = await connect(words, (params) => (shown.push(params.message), { action, content: {} }));
      const answer = await client.call('write_file', { path: 'data/a.txt', content: 'two\n' });
      expect(`${action}: the difference is shown, once`, shown.length === 1 && shown[0].includes('| -one\n  | +two'), shown);
      expect(`${action} decides`, (answer.isError ?? false) === (action !== 'accept'), answer);
      expect(`${action}: the file`, now() === (action === 'accept' ? 'two\n' : 'one\n'), now());
      if (action !== 'accept') expect('the rule is named', answer.content[0].text.includes('zone data'), answer);
      await client.close();
    }
    const silent = await connect(words);
    const waiting = silent.call('write_file', { path: 'data/a.txt', content: 'three\n' });
    const listed = await waitingQuestion();
    expect('nothing happens before', now() === 'two\n', now());
    const approved = await run([program, 'approve', listed.id, '--yes']);
    expect('it is approved outside', approved.code === 0, approved);
    const done = await waiting;
    expect('then it is done', !done.isError && now() === 'three\n', done);
    await silent.close();

    const hasty = await connect([...words, '--approval-timeout', '1']);
    const late = await hasty.call('delete', { path: 'data/a.txt' });
    expect('time that is over is a no', late.isError && late.content[0].text.includes('in time') && existsSync(file), late);
    await hasty.close();
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function waitingQuestion() {
  for (let tries = 0; tries < 300; ++tries) {
    const { questions } = JSON.parse((await run([program, 'approvals', '--json'])).out);
    if (questions.length > 0) return questions[0];
    await pause(100);
  }
  throw new Error('nothing waits');
}

// A program to its end: {code, out, err}.
export function run(words, environment = {}) {
  return new Promise((done) => {
    const child = spawn(words[0], words.slice(1), { env: { ...process.env, ...environment } });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (code) => done({ code, out, err }));
    child.stdin.end();
  });
}
