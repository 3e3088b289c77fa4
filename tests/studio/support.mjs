// What the tests of Studio share: the program under test ($PALE_PROGRAM) as it serves the page, and a browser that is used as a person
// uses it. All they write lies in a temporary directory.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const load = createRequire(process.env.PALE_STUDIO_CLIENTS + '/package.json');
const { chromium } = load('playwright-core');
export const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');

export const program = process.env.PALE_PROGRAM;
export const source = process.env.PALE_SOURCE;
// As long as a slow machine may need; nothing waits that long if all is well.
export const patience = 60_000;

export function expect(what, condition, found) {
  if (!condition) throw new Error(`not so: ${what} ${found === undefined ? '' : JSON.stringify(found, null, 1)}`);
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export async function eventually(what, holds) {
  const end = Date.now() + patience;
  for (;;) {
    if (await holds()) return;
    expect(what, Date.now() < end);
    await pause(50);
  }
}

// A directory with a home for Pale, a place for programs and projects; and Pale, called in it.
export class Place {
  constructor() {
    // In pictures its name is seen.
    this.root = process.env.PALE_SCREENSHOTS ? join(tmpdir(), 'ada') : mkdtempSync(join(tmpdir(), 'pale-studio-'));
    if (process.env.PALE_SCREENSHOTS) mkdirSync(this.root);
    chmodSync(this.root, 0o755);
    this.environment = {
      PATH: `${this.root}/bin:${process.env.PATH}`,
      HOME: `${this.root}/home`,
      PALE_HOME: `${this.root}/pale`,
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
    };
    for (const name of ['bin', 'home', 'pale']) mkdirSync(join(this.root, name), { mode: 0o755 });
  }

  path(name) {
    return join(this.root, name);
  }

  write(name, text, mode = 0o644) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    chmodSync(this.path(name), mode);
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8');
  }

  run(command, ...words) {
    const run = spawnSync(command, words, { cwd: this.root, env: this.environment, encoding: 'utf8', timeout: patience });
    expect(`${command} ${words.join(' ')} works`, run.status === 0, run.stderr);
    return run.stdout;
  }

  pale(...words) {
    return this.run(program, ...words);
  }

  start(command, words, options = {}) {
    return spawn(command, words, { cwd: this.root, env: this.environment, stdio: ['ignore', 'pipe', 'inherit'], ...options });
  }

  // A project in a git repository, with these files.
  project(name, files) {
    for (const [path, text] of Object.entries(files)) this.write(`${name}/${path}`, text);
    this.run('git', 'init', '-q', this.path(name));
    this.pale('init', this.path(name));
  }

  // An agent that is a shell script; $1 is its task.
  agent(name, script) {
    this.write(`bin/${name}`, `#!/bin/sh\n${script}`, 0o755);
    this.write(`pale/agents/${name}.toml`, `name = "${name}"\nabout = "A script"\ntask = ["${name}", "{task}"]\n`);
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((done) => child.on('exit', done));
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await over;
  clearTimeout(impatience);
}

// `use(place)`; what was started in it is ended, and all of it removed.
export async function withPlace(use) {
  const place = new Place();
  try {
    await use(place);
  } finally {
    place.remove();
  }
}

// Serves Studio in a place meanwhile. `use(link)`: the link that lets a browser in, once.
export async function withServer(place, use, port = 0) {
  const server = place.start(program, ['serve', '--port', String(port)]);
  try {
    const link = await new Promise((found, failed) => {
      const lines = createInterface({ input: server.stdout });
      lines.on('line', (line) => {
        const match = /(http:\/\/\S+\/enter\?key=\S+)/.exec(line);
        if (match) found(match[1]);
      });
      server.on('exit', (code) => failed(new Error(`pale serve ended with ${code} before it said where Studio is`)));
    });
    await use(link);
  } finally {
    await ended(server, 'SIGTERM');
  }
}

// A page, and what went wrong in it: messages of the console, errors, and requests that leave the machine.
function watched(page, link, expected) {
  const wrong = [];
  const origin = new URL(link).origin;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected?.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob|about):/.test(request.url())) wrong.push(`a request to ${request.url()}`);
  });
  return wrong;
}

// What a person would see, for the log of a test that failed.
async function seen(page) {
  const text = await page.locator('body').innerText().catch((error) => error.message);
  return `--- ${page.url()}\n${text.slice(-4000)}\n---`;
}

// A browser that has entered by the link. `use(browser)`: open(path) is a new page there. `expected` are messages that a test provokes.
export async function withBrowser(link, use, { expected, proxy } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-prefers-reduced-motion'],
  });
  const wrong = [];
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...(proxy ? { proxy: { server: proxy } } : {}) });
    context.setDefaultTimeout(patience);
    const open = async (path) => {
      const page = await context.newPage();
      const found = watched(page, link, expected);
      page.on('close', () => wrong.push(...found));
      await page.goto(path.startsWith('http') ? path : new URL(path, link).href);
      return page;
    };
    const first = await open(link);
    await use({ context, first, open, at: (path) => new URL(path, link).href });
    for (const page of context.pages()) await page.close();
  } catch (error) {
    for (const context of browser.contexts()) for (const page of context.pages()) console.error(await seen(page));
    throw error;
  } finally {
    await browser.close();
  }
  expect('no error in the console, no request that leaves the machine', wrong.length === 0, wrong);
}
