// The access log: what was blocked and what was let outside the folders, each by a filter that stands in the address; new ones appear.
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const manifest = '[project]\nid = "shop"\nname = "shop"\n\n[agent]\nprotected = ["keep"]\n\n[workspace]\nfolders = ["src"]\n';

await withPlace(async (place) => {
  place.project('shop', { 'src/a.txt': 'a\n', 'keep/b.txt': 'b\n', 'docs/c.md': 'c\n' });
  place.write('shop/.pale/project.toml', manifest);
  const run = (line) => place.pale('run', '-p', 'shop', '--', 'sh', '-c', `${line}; true`);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/accesses'));
      await page.getByText('Nothing was refused').waitFor();
      run('echo x > keep/b.txt; echo x > docs/c.md');
      const rows = page.locator('.access');
      const shows = async (what, ...paths) => {
        await rows.filter({ hasText: paths[0] }).first().waitFor();
        await rows.nth(paths.length).waitFor({ state: 'detached' });
        const texts = await rows.allInnerTexts();
        expect(what, paths.every((path) => texts.some((text) => text.includes(path))), texts);
      };
      await shows('what happens appears', 'keep/b.txt', 'docs/c.md');
      await page.getByRole('button', { name: 'Allowed outside' }).click();
      await shows('what was let outside', 'docs/c.md');
      await page.getByRole('button', { name: 'Blocked', exact: true }).click();
      await shows('what was blocked', 'keep/b.txt');
      await page.getByRole('button', { name: 'All', exact: true }).click();
      await page.getByLabel('Path contains').fill('docs');
      await shows('by its path', 'docs/c.md');
      await page.getByLabel('When').selectOption('15m');
      await page.reload();
      await shows('the same after a reload', 'docs/c.md');
      const query = new URL(page.url()).searchParams;
      expect('filters are in the address', query.get('path') === 'docs' && query.get('since') === '15m', page.url());
      await page.getByLabel('Path contains').fill('nowhere');
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await shows('all of them again', 'keep/b.txt', 'docs/c.md');
    });
  });
});
