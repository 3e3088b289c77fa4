// Questions are answered in the page, by a click or a key, and whoever asked goes on or does not.
import { expect, patience, program, withBrowser, withPlace, withServer } from './support.mjs';

const manifest = '[project]\nid = "shop"\nname = "shop"\n\n[zones.data]\npath = "./data"\napproval = { write = "ask" }\n';
const worker = '---\nname: index\nsandbox:\n  zones:\n    - name: data\nrun: [sh, -c, "cat > /data/notes.txt"]\n---\nWrite it down.\n';

// Ends with the worker's exit code, or null if it still waits when all patience is over.
function ask(place, input) {
  const child = place.start(program, ['worker', 'call', 'index', '-p', 'shop', '--input', JSON.stringify(input)], { stdio: 'ignore' });
  const impatience = setTimeout(() => child.kill('SIGKILL'), patience);
  return new Promise((done) => child.on('exit', (code) => {
    clearTimeout(impatience);
    done(code);
  }));
}

await withPlace(async (place) => {
  place.project('shop', { 'data/notes.txt': 'one\n', '.pale/workers/index.worker': worker });
  place.write('shop/.pale/project.toml', manifest);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/approvals'));
      await page.getByText('Nobody asks for anything').waitFor();

      // Who waits for a person comes first, and nobody else is said to wait.
      const other = await page.context().newPage();
      await other.goto(at('/p/shop/sessions?new=1'));
      const refused = ask(place, 'two');
      await page.locator('.question').waitFor();
      await other.getByRole('button', { name: 'A command' }).click();
      await other.getByRole('textbox', { name: /^Command/ }).fill('sleep 600');
      await other.getByRole('button', { name: 'Start', exact: true }).click();
      await other.locator('.session-row').nth(1).getByText('running', { exact: true }).waitFor();
      await other.locator('.session-row').first().getByText('needs you').waitFor();
      await other.getByRole('button', { name: 'Stop' }).click();
      await other.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
      await other.close();
      await page.getByRole('button', { name: /^Deny/ }).click();
      const refusal = await refused;
      expect('who was denied does not go on, and is told', refusal !== 0 && refusal !== null, refusal);
      expect('and has written nothing', place.read('shop/data/notes.txt') === 'one\n');
      await page.getByText('Nobody asks for anything').waitFor();

      const allowed = ask(place, 'three');
      await page.locator('.question').waitFor();
      // What was typed before a question was shown is no answer to it.
      await page.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
      await page.keyboard.press('y');
      const code = await allowed;
      expect('who was approved goes on', code === 0, code);
      expect('and has written', place.read('shop/data/notes.txt').includes('three'), place.read('shop/data/notes.txt'));

      await page.goto(at('/p/shop/workers'));
      await page.getByRole('heading', { name: 'Calls' }).waitFor();
      const calls = page.locator('.worker-tree').last();
      await calls.getByText('exit 0').waitFor();
      await calls.getByText(/index was refused: APPROVAL_DENIED/).waitFor();
      await calls.getByText('Receipt: what the kernel keeps').first().click();
      await calls.getByText(/noNewPrivileges/).waitFor();
    });
  });
});
