// The page's unit tests, src/**/*.test.ts, by node's own runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function testsIn(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return testsIn(path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

const place = mkdtempSync(join(tmpdir(), "pale-page-"));
try {
  await build({ entryPoints: testsIn("src"), outdir: place, outExtension: { ".js": ".mjs" }, bundle: true, platform: "node", format: "esm", jsx: "automatic", jsxImportSource: "preact", logLevel: "warning" });
  const files = readdirSync(place, { recursive: true }).filter((name) => name.endsWith(".test.mjs"));
  if (files.length === 0) throw new Error("there are no tests");
  process.exitCode = spawnSync(process.execPath, ["--test", ...files.map((name) => join(place, name))], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(place, { recursive: true });
}
