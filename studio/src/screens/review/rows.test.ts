import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileDiff, StageFile } from "../../api/schema";
import { difference, diffRows, type DiffLine } from "./diff_rows";
import { treeRows } from "./tree";

const lines = (text: string): DiffLine[] => text.split("\n").map((line) => ({ kind: line.charAt(0) as DiffLine["kind"], text: line.slice(1) }));
const diff = (text: string): FileDiff => ({
  path: "a", version: "v", status: "modified", binary: false, before_size: 1, after_size: 1, whole: false, truncated: false,
  hunks: [{ id: "h", header: "@@", lines: lines(text) }],
});

test("side by side: what was changed faces what it became", () => {
  const rows = diffRows(diff(" same\n-one\n-two\n+ONE\n more\n+new"), true);
  const seen = rows.map((row) => (row.kind === "pair" ? [row.left?.line.text, row.right?.line.text] : row.kind));
  assert.deepEqual(seen, ["hunk", ["same", "same"], ["one", "ONE"], ["two", undefined], ["more", "more"], [undefined, "new"]]);
});

test("unified: the order of the patch", () => {
  const rows = diffRows(diff("-a\n+b\n-c\n+d\n e"), false);
  assert.deepEqual(rows.map((row) => (row.kind === "line" ? row.cell.line.kind + row.cell.line.text : row.kind)), ["hunk", "-a", "+b", "-c", "+d", " e"]);
});

test("only the words that differ are marked", () => {
  assert.deepEqual(difference("return len(items)", "return sum(items)"), [{ from: 7, to: 10 }, { from: 7, to: 10 }]);
  assert.equal(difference("abc", "xyz"), undefined);
});

test("a tree of files, folders with one folder in one row, closed ones closed", () => {
  const file = (path: string): StageFile => ({ path, version: "v", status: "added", directory: false, binary: false, added: 1, removed: 0, conflict: false });
  const files = ["src/a/b/one.ts", "src/a/b/two.ts", "README.md", "docs/x.md"].map(file);
  const shown = (closed: string[]) => treeRows(files, new Set(closed)).map((row) => `${" ".repeat(row.depth)}${row.name}`);
  assert.deepEqual(shown([]), ["docs", " x.md", "src/a/b", " one.ts", " two.ts", "README.md"]);
  assert.deepEqual(shown(["src/a/b"]), ["docs", " x.md", "src/a/b", "README.md"]);
});
