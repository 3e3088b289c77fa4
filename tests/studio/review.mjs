// As a person: choose a project, give an agent a task in a stage, see what it was refused, reject one hunk, apply the rest, undo.
import { existsSync } from 'node:fs';
import { expect, withBrowser, withPlace, withServer } from './support.mjs';

const before = ['def count(items):', '    return len(items)', '', ...Array.from({ length: 30 }, (_, line) => `# line ${line}`), '', 'def name(item):', '    return item.name', ''].join('\n');
const wanted = before.replace('len(items)', 'sum(item.number for item in items)');

// It waits for a word, so that a person can look on; then it does what it should, and two things that it should not.
const agent = `
printf '\\033[1;32mworking on:\\033[0m %s\\033]0;a title that nobody sees\\007\\n' "$1"
echo hook > .git/hooks/pre-commit
read -r word
echo "told: $word"
sed -i 's/len(items)/sum(item.number for item in items)/; s/item\\.name$/item.name.upper()/' src/cart.py
echo 'test:' > justfile
echo more >> README.md
echo finished
`;

async function start(page) {
  await page.getByRole('link', { name: 'Open shop' }).click();
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
  await page.getByRole('button', { name: 'New task' }).click();
  await page.getByLabel('Task', { exact: true }).fill('count the items');
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('scripted');
  expect('a stage is the default', await page.getByLabel(/In a stage/).isChecked());
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

async function watch(page) {
  const output = page.getByRole('log', { name: 'Output' });
  const coloured = output.locator('.fore-green.bold', { hasText: 'working on:' });
  await coloured.waitFor();
  await output.getByText('count the items').first().waitFor();
  expect('no escape sequence is left', !(await output.innerText()).includes('a title that nobody sees'));
  expect('nothing in the terminal changes the page', !(await page.title()).includes('nobody sees'));
}

// The log is open before the access is there, in a tab of its own: it appears by itself.
async function seeRefusal(log) {
  const row = log.getByRole('listitem').filter({ hasText: '.git/hooks/pre-commit' }).first();
  await row.getByText('blocked', { exact: true }).waitFor();
  await row.getByRole('button', { name: /^Why\?/ }).click();
  const dialog = log.getByRole('dialog', { name: 'Why?' });
  await dialog.getByText(/protected/).first().waitFor();
  expect('the question is in the address', new URL(log.url()).searchParams.get('why')?.endsWith('.git/hooks/pre-commit'), log.url());
  await log.goBack();
  await dialog.waitFor({ state: 'detached' });
}

async function finish(page) {
  await page.getByLabel('Input for the session').fill('go on');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('log', { name: 'Output' }).getByText('told: go on').waitFor();
  await page.getByText('finished', { exact: true }).waitFor();
  await page.getByRole('link', { name: /^Review stage/ }).click();
}

async function decide(page) {
  await page.getByRole('button', { name: /cart\.py/ }).click();
  await page.getByRole('region', { name: 'Change of src/cart.py' }).waitFor();
  await page.getByRole('button', { name: /^Reject hunk/ }).nth(1).click();
  await page.getByRole('button', { name: 'Accept the rest' }).click();
  await page.reload();
  await page.getByText('3 accepted').waitFor();
  expect('the chosen file is still chosen', (await page.locator('.file-row[aria-current]').innerText()).includes('cart.py'));
}

async function apply(page) {
  await page.getByRole('button', { name: /^Apply 3/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply 3 files' });
  const go = dialog.getByRole('button', { name: 'Apply to the project' });
  expect('what the host would execute is not applied unticked', await go.isDisabled());
  await dialog.getByRole('checkbox', { name: /justfile/ }).check();
  await go.click();
  await page.getByText(/^Applied \d+ paths/).waitFor();
}

await withPlace(async (place) => {
  place.project('shop', { 'src/cart.py': before, 'README.md': 'A shop.\n' });
  place.agent('scripted', agent);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, open }) => {
      await start(page);
      const log = await open(new URL('/p/shop/accesses', link).href);
      await watch(page);
      await seeRefusal(log);
      await finish(page);

      await page.getByRole('button', { name: /cart\.py/ }).waitFor();
      expect('the project is untouched before the apply', place.read('shop/src/cart.py') === before && !existsSync(place.path('shop/justfile')));
      await decide(page);
      await apply(page);
      expect('one hunk is applied, the rejected one is not', place.read('shop/src/cart.py') === wanted, place.read('shop/src/cart.py'));
      expect('what was ticked is applied', place.read('shop/justfile') === 'test:\n');
      expect('what was refused never happened', !existsSync(place.path('shop/.git/hooks/pre-commit')));

      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText(/^Undone/).waitFor();
      expect('undone on disk', place.read('shop/src/cart.py') === before && !existsSync(place.path('shop/justfile')));
      expect('undone: the other file, too', place.read('shop/README.md') === 'A shop.\n');
    });
  });
});
