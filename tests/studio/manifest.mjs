// The manifest changes by what a person does in the page, and never before: what if, saving, and what a refused access proposes.
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const manifest = '[project]\nid = "shop"\nname = "shop"\n\n[workspace]\nfolders = ["src"]\nmode = "strict"\n';

async function whatIf(page, place) {
  await page.getByRole('button', { name: 'What if…' }).click();
  const editor = page.locator('.editor');
  await page.waitForFunction(() => document.querySelector('.editor')?.value.includes('[project]'));
  await editor.fill(`${manifest}\n[agent]\nprotectd = ["src/keep"]\n`);
  await page.getByText(/protectd/).last().waitFor();
  await page.getByRole('button', { name: /^Line \d+/ }).waitFor();
  expect('a broken manifest cannot be saved', await page.getByRole('button', { name: 'Save the manifest' }).isDisabled());

  await editor.fill(manifest.replace('mode =', 'type = "staged"\nmode ='));
  await page.getByRole('button', { name: /^src, .*staged, was writable/ }).waitFor();

  const wanted = `${manifest}\n[agent]\nprotected = ["src/keep"]\n`;
  await editor.fill(wanted);
  await page.locator('.changed-list', { hasText: 'src/keep' }).waitFor();
  await page.locator('.tile.changed').first().waitFor();
  expect('trying writes nothing', place.read('shop/.pale/project.toml') === manifest);
  await page.getByRole('button', { name: 'Save the manifest' }).click();
  await page.locator('.tile.changed').first().waitFor({ state: 'detached' });
  expect('what was saved is on disk', place.read('shop/.pale/project.toml') === wanted, place.read('shop/.pale/project.toml'));
  await page.getByRole('button', { name: /^keep, .*protected/ }).waitFor();
}

// By the keyboard: the arrow keys lead from area to area, Enter chooses.
async function keys(page) {
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.locator('.tile').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.panel .decisions').waitFor();
  expect('the chosen path is in the address', new URL(page.url()).searchParams.has('path'), page.url());
}

async function propose(page, place) {
  await page.getByRole('button', { name: /^Why\? .*plan\.md/ }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Why?' });
  await dialog.getByRole('button', { name: /^Propose/ }).click();
  await dialog.locator('.patch .added').first().waitFor();
  const before = place.read('shop/.pale/project.toml');
  expect('proposing writes nothing', !before.includes('"docs"'), before);
  await dialog.getByRole('button', { name: 'Save the manifest' }).click();
  await dialog.getByText(/^Saved/).waitFor();
  expect('the proposal is on disk', place.read('shop/.pale/project.toml').includes('docs'), place.read('shop/.pale/project.toml'));
}

await withPlace(async (place) => {
  place.project('shop', { 'src/keep/a.txt': 'a\n', 'src/b.txt': 'b\n', 'docs/plan.md': 'plan\n' });
  place.write('shop/.pale/project.toml', manifest);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/boundary'));
      await whatIf(page, place);
      await keys(page);

      await page.goto(at('/p/shop/sessions?new=1'));
      await page.getByRole('button', { name: 'A command' }).click();
      await page.getByRole('textbox', { name: /^Command/ }).fill('cat docs/plan.md');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('log', { name: 'Output' }).getByText(/^blocked: .*plan\.md/).waitFor();
      await page.getByRole('link', { name: /blocked$/ }).click();
      await propose(page, place);
      expect('filters are in the address', new URL(page.url()).searchParams.get('kind') === 'blocked', page.url());
      await page.goto(at('/p/shop/sessions?new=1'));
      await page.getByRole('button', { name: 'A command' }).click();
      await page.getByRole('textbox', { name: /^Command/ }).fill('cat docs/plan.md');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('log', { name: 'Output' }).getByText('plan', { exact: true }).waitFor();
    });
  });
});
