// The first screen, as it comes over the wire: its script is small, nothing but the page's own parts is loaded, and its headers let in nothing else.
import { gzipSync } from 'node:zlib';
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const most = 60_000;

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ context, at }) => {
      const page = await context.newPage();
      const scripts = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') scripts.push(response);
      });
      const answer = await page.goto(at('/'));
      await page.getByRole('link', { name: 'Open shop' }).waitFor();
      let size = 0;
      for (const script of scripts) size += gzipSync(await script.body()).length;
      expect('there is a script', scripts.length > 0);
      expect(`its script is below ${most} bytes, gzipped`, size < most, size);

      const policy = answer.headers()['content-security-policy'] ?? '';
      expect('the page is served with a policy', /default-src 'none'/.test(policy) && /script-src 'self'/.test(policy), policy);
      expect('which allows nothing inline', !/unsafe/.test(policy), policy);
      await page.close();
    });
  });
});
