// The connection is lost and comes back: the page goes on by itself, and nothing is missing or there twice. If the server begins again,
// the page says what to do.
import { createServer, request } from 'node:http';
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

// A proxy that can be cut.
async function withLine(use) {
  const sockets = new Set();
  let cut = false;
  const proxy = createServer((asked, answer) => {
    const forward = request(asked.url, { method: asked.method, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode, got.rawHeaders);
      got.pipe(answer);
    });
    forward.on('error', () => answer.destroy());
    answer.on('close', () => forward.destroy());
    asked.pipe(forward);
  });
  proxy.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (cut) socket.destroy();
  });
  await new Promise((ready) => proxy.listen(0, '127.0.0.1', ready));
  const set = (broken) => {
    cut = broken;
    if (broken) for (const socket of sockets) socket.destroy();
  };
  try {
    await use({ address: `http://127.0.0.1:${proxy.address().port}`, cut: () => set(true), mend: () => set(false) });
  } finally {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  }
}

const lost = /ERR_|Failed to load resource/;
const count = 30;
// It says the next number when the last one was taken back.
const counting = `i=0; while [ $i -lt ${count} ]; do i=$((i + 1)); echo "number $i."; read -r word; done; sleep 600`;

async function numbers(page) {
  const text = await page.getByRole('log', { name: 'Output' }).innerText();
  return [...text.matchAll(/number (\d+)\./g)].map((match) => Number(match[1]));
}

async function lineIsCut(place, link, line) {
  await withBrowser(link, async ({ first: page, at }) => {
    await page.goto(at('/p/shop/sessions?new=1'));
    await page.getByRole('button', { name: 'A command' }).click();
    await page.getByRole('textbox', { name: /^Command/ }).fill(counting);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const output = page.getByRole('log', { name: 'Output' });
    await output.getByText('number 1.', { exact: true }).waitFor();
    const input = page.getByLabel('Input for the session');
    await input.fill('\n'.repeat(3));
    await page.getByRole('button', { name: 'Send' }).click();
    await output.getByText('number 2.', { exact: true }).waitFor();

    line.cut();
    await page.getByText('Reconnecting…').first().waitFor();
    // What happens meanwhile is there afterwards.
    place.pale('run', '-p', 'shop', '--stage', 'later', '--', 'sh', '-c', 'echo x > new.txt');
    line.mend();
    await page.getByText('Reconnecting…').first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Review 2/ }).waitFor();
    for (let next = 3; next <= 6; next++) {
      await page.getByRole('button', { name: 'Send' }).click();
      await output.getByText(`number ${next}.`, { exact: true }).waitFor();
    }
    const seen = await numbers(page);
    expect('every line once, in order', seen.every((number, index) => number === index + 1), seen);

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  }, { expected: lost, proxy: line.address });
}

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  let port = 0;
  await withServer(place, async (link) => {
    port = Number(new URL(link).port);
    await withLine((line) => lineIsCut(place, link, line));
  });

  // Pages that were let in are known to the server that let them in, and to no other.
  let begun;
  const known = new Promise((done) => (begun = done));
  let looking;
  await withServer(place, async (link) => {
    looking = withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/sessions'));
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
      begun();
      await page.getByRole('alert').getByText(/pale studio/).waitFor();
    }, { expected: lost });
    await known;
  }, port);
  await withServer(place, () => looking, port);
});
