// The gate: nothing opens without a project; create, import, choose, make default, unregister; what is wrong with one, and what to do;
// reload and back lead where one was.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

// Of each problem a card says what it is and what helps.
async function problems(page, place, at) {
  for (const name of ['gone', 'broken', 'large']) place.project(name, { 'README.md': `${name}\n` });
  rmSync(place.path('gone'), { recursive: true });
  place.write('broken/.pale/project.toml', '[agent]\ntrust = 7\n');
  const registry = JSON.parse(place.read('pale/projects.json'));
  registry.projects.large = { ...registry.projects.large, root: '/usr/share', manifest: null };
  place.write('pale/projects.json', JSON.stringify(registry));
  await page.goto(at('/'));
  const card = (id) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name: `Open ${id}`, exact: true }) });
  await card('gone').getByText(/its directory is gone/).waitFor();
  await card('gone').getByText(/pale project move gone DIR/).waitFor();
  await card('broken').getByText(/trust/).first().waitFor();
  await card('large').getByText(/a system directory cannot be a project root/).waitFor();
  await card('large').getByText(/mkdir -p/).waitFor();
}

// A tenants' project is looked at, and neither chosen nor forgotten here.
async function managed(page, place, at) {
  place.pale('project', 'create', 'tenants');
  await page.goto(at('/'));
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Open tenants' }) });
  await card.getByText('managed', { exact: true }).waitFor();
  expect('what cannot be done is not offered', (await card.getByRole('button').count()) === 0);
  await card.getByRole('link', { name: 'Open tenants' }).click();
  await page.getByText('Nothing has run here yet').waitFor();
  const screens = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts();
  expect('it has sessions and accesses', screens.map((name) => name.trim()).join() === 'Sessions,Accesses', screens);
  await page.goto(at('/p/tenants/boundary'));
  await page.getByText('Not for a managed project').waitFor();
}

async function takeOver(page, place, at) {
  place.write('theirs/.sunwell/project.toml', '[project]\nid = "theirs"\nname = "Theirs"\n');
  await page.goto(at('/'));
  await page.getByText('New project').click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByLabel(/^File/).fill(place.path('theirs/.sunwell/project.toml'));
  await page.getByRole('button', { name: 'Import the project' }).click();
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
  expect('it is a project of Pale now', existsSync(place.path('theirs/.pale/project.toml')));
}

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

      await takeOver(page, place, at);
      await managed(page, place, at);
      await problems(page, place, at);

      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('alert').getByText(/pale studio/).waitFor();
      await page.goto(at('/p/shop/sessions'));
      await page.getByRole('alert').getByText(/pale studio/).waitFor();
    }, { expected: /status of 40[13]/ });
  });
});
