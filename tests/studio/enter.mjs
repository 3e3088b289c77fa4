// `pale studio` opens the browser with a link that works once, and that stands in no command line; then a cookie counts that no script
// can read and no other site can use.
import { existsSync, readFileSync } from 'node:fs';
import { eventually, expect, program, withBrowser, withPlace } from './support.mjs';

await withPlace(async (place) => {
  place.project('shop', { 'README.md': 'A shop.\n' });
  place.write('bin/xdg-open', `#!/bin/sh\ncp "$1" "${place.path('opened')}.new"\nprintf '%s' "$*" > "${place.path('arguments')}"\nmv "${place.path('opened')}.new" "${place.path('opened')}"\n`, 0o755);
  const server = place.start(program, ['studio', '--port', '0'], { env: { ...place.environment, DISPLAY: ':7' }, stdio: 'ignore' });
  try {
    await eventually('the browser is opened', () => existsSync(place.path('opened')));
    const opened = readFileSync(place.path('opened'), 'utf8');
    const link = /url=(http:\/\/127\.0\.0\.1:\d+\/enter\?key=[0-9a-f]{64})/.exec(opened)?.[1];
    expect('it is given a page that leads to the link', link !== undefined, opened);
    expect('which others cannot read off a command line', !place.read('arguments').includes('key='), place.read('arguments'));
    await withBrowser(link, async ({ context, first: page }) => {
      await page.getByRole('link', { name: 'Open shop' }).waitFor();
      expect('the key is not left in the address', !page.url().includes('key='), page.url());
      const cookies = await context.cookies();
      expect('one cookie, HttpOnly and of this site alone', cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === 'Strict', cookies);
      const again = await context.newPage();
      const answer = await again.goto(link);
      expect('the link works once', answer.status() === 403);
      await again.getByText('pale studio').waitFor();
    }, { expected: /status of 403/ });
  } finally {
    server.kill('SIGTERM');
  }
});
