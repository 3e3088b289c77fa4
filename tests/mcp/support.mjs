// What the scripts here share: the clients ($PALE_MCP_CLIENTS), and the program under test ($PALE_PROGRAM).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
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
