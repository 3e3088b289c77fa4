// The official conformance suites, every scenario of both eras. No failure is expected, and no warning.
// Extensions (tasks, skills) are optional by their own word and not offered; the suites leave them out where a version is named.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clients, expect, node, run, withFixtures } from './support.mjs';

const suites = [
  ['conformance-of-2025', 32],
  ['conformance-of-2026', 33, '--spec-version', '2025-11-25'],
  ['conformance-of-2026', 40, '--spec-version', '2026-07-28'],
];

// All checks of a run, as it wrote them down.
function checksIn(directory) {
  return readdirSync(directory, { recursive: true })
    .filter((name) => name.endsWith('checks.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(directory, name))));
}

await withFixtures(async (url) => {
  for (const [name, scenarios, ...words] of suites) {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const suite = `${clients}/node_modules/${name}/dist/index.js`;
    const { code, out, err } = await run([
      node, suite, 'server', '--url', url.href, '--suite', 'all', '--output-dir', results, ...words,
    ]);
    const summary = out.slice(out.indexOf('=== SUMMARY ==='));
    expect(`${name} passes`, code === 0 && !summary.includes('✗'), { code, out, err });
    expect(`${name} has all its scenarios`, summary.split('✓').length - 1 === scenarios, summary);
    const checks = checksIn(results);
    const bad = checks.filter((check) => check.status === 'FAILURE' || check.status === 'WARNING');
    expect(`${name} has results`, checks.length > scenarios, checks.length);
    expect(`${name} warns of nothing`, bad.length === 0, bad);
    console.log(name, ...words, summary.match(/Total: .*/)[0]);
    rmSync(results, { recursive: true });
  }
});
