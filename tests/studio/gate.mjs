// The gate: nothing opens without a project; create, choose, make default, unregister; reload and back lead where one was.
import { existsSync, mkdirSync } from 'node:fs';
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  mkdirSync(place.path('blog'));
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.getByRole('link', { name: 'Open shop' }).waitFor();
      await page.goto(at('/p/nothing/sessions'));
      await page.getByText('There is no project “nothing”').waitFor();
      await page.getByRole('link', { name: 'Choose a project' }).click();

      await page.getByText('New project').click();
      await page.getByLabel(/^Folder/).fill('/');
      await page.getByRole('button', { name: 'Create the project' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel(/^Folder/).fill(place.path('blog'));
      await page.getByRole('button', { name: 'Create the project' }).click();
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
      expect('it is a project on disk', existsSync(place.path('blog/.pale/project.toml')));

      await page.getByRole('link', { name: 'Boundary' }).click();
      await page.getByRole('button', { name: 'List' }).click();
      await page.reload();
      await page.locator('.tree-row').first().waitFor();
      await page.goBack();
      await page.locator('.tile').first().waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();

      await page.goto(at('/'));
      const blog = page.getByRole('listitem').filter({ hasText: place.path('blog') });
      await blog.getByRole('button', { name: 'Make default' }).click();
      await blog.getByText('default', { exact: true }).waitFor();
      await blog.getByRole('button', { name: 'Unregister blog' }).click();
      const dialog = page.getByRole('dialog', { name: /Unregister blog/ });
      await dialog.getByRole('button', { name: 'Unregister' }).click();
      await blog.waitFor({ state: 'detached' });
      expect('its files stay', existsSync(place.path('blog/.pale/project.toml')));

      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('alert').getByText(/pale studio/).waitFor();
      await page.goto(at('/p/shop/sessions'));
      await page.getByRole('alert').getByText(/pale studio/).waitFor();
    }, { expected: /status of 40[13]/ });
  });
});
