// The board moves while the loop runs: what runs, what failed and what passed is seen as it happens.
import { expect, patience, program, withBrowser, withPlace, withServer } from './support.mjs';

const stories = {
  project: 'shop',
  userStories: [
    { id: 'S-1', title: 'The first', priority: 1, passes: false },
    { id: 'S-2', title: 'The second', priority: 2, passes: false },
    { id: 'S-3', title: 'The third', priority: 3, passes: false, dependencies: ['S-2'] },
  ],
};

// Each story waits until somebody says how it ends: src/S-1 holds the exit code.
const agent = 'while [ ! -s "src/$PALE_STORY" ]; do sleep 0.1; done\nexit "$(cat "src/$PALE_STORY")"\n';

await withPlace(async (place) => {
  place.project('shop', { 'src/main.py': '\n', 'prd.json': JSON.stringify(stories, null, 2) });
  place.agent('scripted', agent);
  await withServer(place, async (link) => {
    await withBrowser(link, async ({ first: page, at }) => {
      await page.goto(at('/p/shop/loop'));
      const column = (name) => page.getByRole('region', { name, exact: true });
      await column('Waiting').getByText('The first').waitFor();
      const loop = place.start(program, ['loop', '-p', 'shop', '--agent', 'scripted', '--tries', '1'], { stdio: 'ignore' });
      const ended = new Promise((done) => loop.on('exit', done));
      const impatience = setTimeout(() => loop.kill('SIGKILL'), 2 * patience);
      try {
        await column('Running').getByText('The first').waitFor();
        place.write('shop/src/S-1', '0');
        await column('Passed').getByText('The first').waitFor();
        await column('Running').getByText('The second').waitFor();
        await page.getByText('1 of 3 stories pass').waitFor();
        place.write('shop/src/S-2', '7');
        await column('Failed or blocked').getByText('The second').waitFor();
        await column('Failed or blocked').getByText('The third').waitFor();
        expect('not every story passes', (await ended) === 1);
        await page.locator('.page-head .badge', { hasText: 'running' }).waitFor({ state: 'detached' });
        await column('Passed').getByRole('link', { name: 'output' }).click();
        await page.getByRole('log', { name: 'Output' }).waitFor();
      } finally {
        clearTimeout(impatience);
        loop.kill('SIGKILL');
      }
    });
  });
});
