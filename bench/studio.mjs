// What bench/studio.py measures, in a browser: times in milliseconds, as JSON. node bench/studio.mjs ROUNDS FILES
import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { withBrowser, withPlace, withServer } from '../tests/studio/support.mjs';

const [rounds, files] = process.argv.slice(2).map(Number);
const changes = 2000;

function plant(place) {
  place.project('shop', { 'README.md': 'A shop.\n' });
  place.project('large', { 'README.md': 'A large one.\n' });
  for (let folder = 0; folder < files / 100; folder++) {
    const path = place.path(`large/src/part${folder % 20}/module${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file++) writeFileSync(`${path}/file${file}.txt`, '');
  }
  const many = `i=0; while [ $i -lt ${changes} ]; do d=out/part$((i / 50)); [ -d $d ] || mkdir -p $d; echo "number $i" > $d/file$i.txt; i=$((i + 1)); done`;
  place.pale('run', '-p', 'shop', '--stage', 'many', '--', 'sh', '-c', many);
}

// From the start of the navigation until what is looked for can be used: it is there, and the browser has drawn it and is idle.
async function untilUsable(context, address, selector) {
  const page = await context.newPage();
  const scripts = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response);
  });
  await page.addInitScript((wanted) => {
    const look = new MutationObserver(() => {
      if (!document.querySelector(wanted)) return;
      look.disconnect();
      requestAnimationFrame(() => setTimeout(() => (globalThis.usableAt = performance.now())));
    });
    look.observe(document, { childList: true, subtree: true });
  }, selector);
  await page.goto(address);
  await page.waitForFunction(() => globalThis.usableAt !== undefined);
  const time = await page.evaluate(() => globalThis.usableAt);
  let bytes = 0;
  for (const script of scripts) bytes += gzipSync(await script.body()).length;
  return { page, time, bytes };
}

// Times between frames while a list is scrolled from its beginning to its end, in steps as a wheel makes them.
const frames = (list) =>
  new Promise((done) => {
    const found = [];
    let last = performance.now();
    const step = (now) => {
      found.push(now - last);
      last = now;
      list.scrollTop += 300;
      if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) done(found.slice(1));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });

const result = { first: [], review: [], map: [], frames: [], bytes: 0 };
await withPlace(async (place) => {
  plant(place);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ context, at }) => {
      const measure = async (into, path, selector) => {
        const { page, time, bytes } = await untilUsable(context, at(path), selector);
        into.push(time);
        return { page, bytes };
      };
      for (let round = 0; round < rounds; round++) {
        const first = await measure(result.first, '/', '.project-card a');
        result.bytes = first.bytes;
        await first.page.close();
        const review = await measure(result.review, '/p/shop/review/many', '.file-row');
        result.frames.push(...(await review.page.locator('.file-list').evaluate(frames)));
        await review.page.close();
        const map = await measure(result.map, '/p/large/boundary', '.tile');
        await map.page.close();
      }
    });
  });
});
console.log(JSON.stringify(result));
