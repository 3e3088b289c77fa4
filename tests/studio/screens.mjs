// Every screen, with something on it, on a wide page and on a narrow one, light and dark: nothing that axe-core calls serious, nothing
// wider than the page, no error in the console. With PALE_SCREENSHOTS it also draws the pictures of docs/studio.
import { join } from 'node:path';
import { axe, expect, program, source, withBrowser, withPlace, withServer } from './support.mjs';

const manifest = `[project]
id = "shop"
name = "shop"

[agent]
name = "scripted"
protected = ["migrations"]

[workspace]
folders = ["src", "docs"]
mode = "permissive"

[zones.data]
path = "./data"
approval = { write = "ask" }

[zones.reports]
path = "./reports"
mode = "ro"
`;

const worker = (name, zones, calls) => `---
name: ${name}
description: ${name[0].toUpperCase()}${name.slice(1)} of the shop
sandbox:
  zones:
${zones.map(([zone, mode]) => `    - name: ${zone}\n      mode: ${mode}`).join('\n')}
${calls.length > 0 ? `toolsets:\n  workers:\n    allowed_workers: [${calls.join(', ')}]\n` : ''}run: [sh, -c, "echo done > /data/notes.txt"]
---
Do it.
`;

const stories = {
  project: 'shop', branchName: 'shop', description: 'A shop',
  userStories: [
    { id: 'US-001', title: 'Set up the foundation', description: '', acceptanceCriteria: [], priority: 1, passes: true, notes: '' },
    { id: 'US-002', title: 'Core data model', description: '', acceptanceCriteria: [], priority: 2, passes: false, notes: '' },
    { id: 'US-003', title: 'API endpoints', description: '', acceptanceCriteria: [], priority: 3, passes: false, notes: '', dependsOn: ['US-002'] },
  ],
};

const code = (name) => [`def ${name}(items):`, '    return len(items)', '', ...Array.from({ length: 24 }, (_, line) => `# ${name}, line ${line}`), '', 'def names(items):', '    return [item.name for item in items]', ''].join('\n');

const agent = `
printf '\\033[1mRunning 14 tests\\033[0m\\n\\033[32m✓\\033[0m cart adds an item \\033[2m(3 ms)\\033[0m\\n\\033[32m✓\\033[0m cart removes an item\\n'
printf '\\033[31m✗ cart is empty\\033[0m\\n    expected \\033[33m0\\033[0m but got \\033[36mundefined\\033[0m\\n\\033[44;97m 1 failed \\033[0m 13 passed\\n'
echo x > migrations/0001.sql
echo hook > .git/hooks/pre-commit
echo plan > plan.md
sed -i 's/len(items)/sum(item.number for item in items)/; s/item\\.name for/item.name.upper() for/' src/cart.py
sed -i 's/A shop/A fine shop/' docs/README.md
echo 'test:' > justfile
mkdir -p src/new; echo 'def new(): pass' > src/new/part.py
rm src/old.py
echo 'The empty cart has a test now.'
`;

function prepare(place) {
  const files = {
    'src/cart.py': code('count'), 'src/old.py': code('old'), 'docs/README.md': 'A shop.\n', 'migrations/0001.sql': 'select 1;\n',
    'data/notes.txt': 'one\n', 'reports/year.md': '# The year\n', 'prd.json': JSON.stringify(stories, null, 2),
    '.pale/workers/index.worker': worker('index', [['data', 'rw'], ['reports', 'ro']], ['summary', 'cleaner']),
    '.pale/workers/summary.worker': worker('summary', [['data', 'ro']], []),
    '.pale/workers/cleaner.worker': worker('cleaner', [['reports', 'rw']], []),
  };
  for (let number = 0; number < 120; number++) files[`src/parts/part${number % 8}/file${number}.py`] = `# ${number}\n`;
  for (let number = 0; number < 40; number++) files[`docs/pages/page${number}.md`] = `# ${number}\n`;
  place.project('shop', files);
  place.write('shop/.pale/project.toml', manifest);
  place.project('blog', { 'index.md': '# Blog\n' });
  place.agent('scripted', agent);
  place.pale('project', 'default', 'shop');
}

// What `serious` and `critical` are, axe-core decides.
async function judged(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const found = violations.filter((one) => ['serious', 'critical'].includes(one.impact));
  expect(`${name}: axe-core finds nothing serious`, found.length === 0,
    found.map((one) => ({ id: one.id, nodes: one.nodes.slice(0, 3).map((node) => [node.html, node.failureSummary]) })));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(`${name}: nothing is wider than the page`, wide <= 0, wide);
}

const looks = [
  { width: 1440, height: 900, scheme: 'light' },
  { width: 1440, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
];

// Those that README.md and docs/STUDIO.md show.
const pictures = ['gate', 'accesses', 'review', 'boundary', 'what-if', 'approvals', 'workers', 'loop'].map((name) => `${name}-1440-light`);
const drawn = (shown) => process.env.PALE_SCREENSHOTS && [...pictures, 'sessions-1440-dark', 'sessions-390-light'].includes(shown);

async function visit(browser, screens) {
  const page = await browser.open('/');
  for (const look of looks) {
    await page.setViewportSize({ width: look.width, height: look.height });
    await page.emulateMedia({ colorScheme: look.scheme });
    for (const [name, path, ready] of screens) {
      const shown = `${name}-${look.width}-${look.scheme}`;
      await page.goto(browser.at(path));
      await page.locator(ready).first().waitFor();
      await judged(page, shown);
      if (drawn(shown)) await page.screenshot({ path: join(source, 'docs/studio', `${shown}.png`) });
    }
  }
}

await withPlace(async (place) => {
  prepare(place);
  await withServer(place, async (link) => {
    // A task by the agent, and a worker that waits for a person.
    const asking = place.start(program, ['worker', 'call', 'index', '-p', 'shop', '--input', 'null'], { stdio: 'ignore' });
    try {
      await withBrowser(link, async (browser) => {
        const page = browser.first;
        await page.goto(browser.at('/p/shop/sessions?new=1'));
        await page.getByLabel('Task', { exact: true }).fill('Add a test for the empty cart');
        await page.getByRole('combobox', { name: 'Agent' }).selectOption('scripted');
        await page.getByRole('button', { name: 'Start', exact: true }).click();
        await page.getByText('The empty cart has a test now.').waitFor();
        await page.getByRole('link', { name: /^Review stage/ }).waitFor();
        const session = new URL(page.url()).pathname;
        await page.getByRole('link', { name: /^Review stage/ }).click();
        await page.getByRole('button', { name: /cart\.py/ }).waitFor();
        const stage = new URL(page.url()).pathname;
        // Changed on both sides since: a conflict.
        place.write('shop/docs/README.md', 'A small shop.\n');
        await visit(browser, [
          ['gate', '/', '.project-card'],
          ['sessions', session, '.terminal .line >> text=13 passed'],
          ['new-task', '/p/shop/sessions?new=1', 'dialog[open]'],
          ['accesses', '/p/shop/accesses', '.access'],
          ['why', `/p/shop/accesses?why=${encodeURIComponent(place.path('shop/migrations/0001.sql'))}&operation=write`, 'dialog .decisions'],
          ['stages', '/p/shop/review', '.stage-card'],
          ['review', `${stage}?file=src/cart.py`, '.hunk-head'],
          ['conflict', `${stage}?file=docs/README.md`, '.versions'],
          ['keys', `${stage}?dialog=keys`, 'dialog[open]'],
          ['boundary', '/p/shop/boundary', '.tile'],
          ['path', '/p/shop/boundary?path=migrations', '.panel .decisions'],
          ['list', '/p/shop/boundary?view=list', '.tree-row'],
          ['rules', '/p/shop/boundary?view=rules', '.rules .plain-table'],
          ['what-if', '/p/shop/boundary?edit=1', '.editor'],
          ['approvals', '/p/shop/approvals', '.question'],
          ['workers', '/p/shop/workers', '.worker'],
          ['loop', '/p/shop/loop', '.story'],
        ]);
      });
    } finally {
      asking.kill('SIGTERM');
    }
  });
});
