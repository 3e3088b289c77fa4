// What a person accepted is what he saw: a file that was changed since, in as many lines, is neither applied nor still accepted.
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const change = (place, text) => place.pale('run', '-p', 'shop', '--stage', 'work', '--', 'sh', '-c', `echo '${text}' > README.md`);

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  change(place, 'A fine shop.');
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/review/work?file=README.md'));
      await page.getByRole('region', { name: 'Change of README.md' }).getByText('A fine shop.').waitFor();
      await page.keyboard.press('a');
      await page.getByRole('button', { name: /^Apply 1/ }).click();
      await page.getByRole('dialog', { name: 'Apply 1 file' }).waitFor();
      change(place, 'A nasty one.');
      // Either the page has heard of it by now and offers nothing to apply, or the server refuses.
      await page.getByRole('button', { name: 'Apply to the project' }).evaluate((button) => button.click());
      expect('nothing was applied', place.read('shop/README.md') === 'A shop.\n', place.read('shop/README.md'));
      await page.getByText('0 accepted · 0 rejected · 0 viewed').waitFor();

      await page.keyboard.press('Escape');
      await page.getByRole('region', { name: 'Change of README.md' }).getByText('A nasty one.').waitFor();
      // Nor does it help to make it what it was.
      await page.keyboard.press('a');
      await page.getByText('1 accepted').waitFor();
      change(place, 'A fine shop.');
      change(place, 'A nasty one.');
      await page.reload();
      await page.getByText('0 accepted · 0 rejected · 0 viewed').waitFor();
    }, { expected: /status of 409/ });
  });
});
