// A review of 2,000 files: only what is seen exists, the last one can be reached, and keys walk through them.
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const files = 2000;
const many = `
i=0
while [ $i -lt ${files} ]; do
  d=out/part$((i / 50)); [ -d $d ] || mkdir -p $d
  echo "number $i" > $d/$(printf 'file%04d.txt' $i)
  i=$((i + 1))
done
seq 1 20000 > long.txt
`;

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  place.pale('run', '-p', 'shop', '--stage', 'many', '--', 'sh', '-c', many);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ open }) => {
      const page = await open('/p/shop/review/many');
      await page.locator('.file-row .name', { hasText: 'file0000.txt' }).waitFor();
      const rows = () => page.locator('.file-row').count();
      const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
      expect('few rows exist', (await rows()) < 100, await rows());
      expect('the page is small', (await nodes()) < 2000, await nodes());

      await page.locator('.file-list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      await page.locator('.file-row .name', { hasText: 'long.txt' }).waitFor();
      expect('few rows exist at the end, too', (await rows()) < 100, await rows());

      await page.locator('.file-row', { hasText: 'long.txt' }).click();
      const diff = page.getByRole('region', { name: 'Change of long.txt' });
      await diff.getByText('1', { exact: true }).first().waitFor();
      expect('of a long change, few lines exist', (await nodes()) < 2500, await nodes());

      const chosen = () => new URL(page.url()).searchParams.get('file');
      await page.keyboard.press('k');
      await page.waitForURL((url) => url.searchParams.get('file') !== 'long.txt');
      expect('k goes to the one before', chosen() === `out/part39/file${files - 1}.txt`, chosen());
      await page.keyboard.press('v');
      await page.getByText('1 viewed').waitFor();
      await page.keyboard.press('a');
      await page.getByText('1 accepted').waitFor();
      // As fast as a person may be: the next file is there, and no frame was drawn since.
      await page.evaluate(async () => {
        const press = (key) => dispatchEvent(new KeyboardEvent('keydown', { key }));
        press('j');
        for (let turn = 0; turn < 10; ++turn) await Promise.resolve();
        press('x');
      });
      await page.waitForURL((url) => url.searchParams.get('file') === 'long.txt');
      await page.getByText('1 rejected').waitFor();
      await page.reload();
      await page.getByText('1 accepted · 1 rejected · 2 viewed').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    });
  });
});
