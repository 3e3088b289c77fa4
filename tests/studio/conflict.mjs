// A file that was changed on both sides: three versions, a result, and that is what is written.
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n', 'old/a.txt': 'a\n', 'old/b.txt': 'b\n' });
  place.pale('run', '-p', 'shop', '--stage', 'work', '--', 'sh', '-c', 'echo "A fine shop." > README.md; rm -r old');
  place.write('shop/README.md', 'A small shop.\n');
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/review/work?file=README.md'));
      for (const [name, text] of [['Original', 'A shop.'], ['Project', 'A small shop.'], ['Stage', 'A fine shop.']]) {
        await page.getByRole('region', { name, exact: true }).getByText(text).waitFor();
      }
      const use = page.getByRole('button', { name: 'Use this result' });
      expect('lines that mark a conflict are no result', await use.isDisabled());
      await page.getByRole('textbox', { name: 'Result' }).fill('A small, fine shop.\n');
      await use.click();
      await page.getByRole('button', { name: 'Accept the rest' }).click();
      await page.getByRole('button', { name: /^Apply 3/ }).click();
      await page.getByRole('button', { name: 'Apply to the project' }).click();
      await page.getByText(/^Applied \d+ paths/).waitFor();
      expect('the result is written', place.read('shop/README.md') === 'A small, fine shop.\n', place.read('shop/README.md'));
      const left = place.run('ls', place.path('shop'));
      expect('a directory that was emptied is gone', !left.includes('old'), left);
      await page.goto(at('/p/shop/review'));
      await page.getByRole('button', { name: /^Undo apply/ }).click();
      await page.getByText('undone', { exact: true }).waitFor();
      expect('undone on disk', place.read('shop/README.md') === 'A small shop.\n' && place.read('shop/old/b.txt') === 'b\n');
    });
  });
});
