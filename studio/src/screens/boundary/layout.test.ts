import assert from "node:assert/strict";
import { test } from "node:test";
import type { Area } from "../../api/schema";
import { beside, tilesOf } from "./layout";

const area = (path: string, files: number, children: Area[] = []): Area => ({
  path, name: path, directory: true, state: "writable", mixed: false, rule: "", files, bytes: 0, children, more: 0,
});

test("areas lie inside their parent, and beside each other", () => {
  const root = area("", 100, [area("a", 60, [area("a/x", 30)]), area("b", 20)]);
  const tiles = tilesOf(root, 800, 600);
  assert.deepEqual(tiles.map((tile) => `${tile.area.path}:${tile.rest}`).sort(), [":0", ":20", "a/x:0", "a:0", "a:30", "b:0"]);
  const [outer, a] = tiles;
  assert.ok(outer && a && a.left >= outer.left && a.left + a.width <= outer.left + outer.width && a.top + a.height <= outer.top + outer.height);
});

test("arrows lead to the neighbour", () => {
  const tiles = tilesOf(area("", 2, [area("a", 1), area("b", 1)]), 400, 100);
  const a = tiles.find((tile) => tile.area.path === "a");
  const b = tiles.find((tile) => tile.area.path === "b");
  assert.ok(a && b);
  const [left, right] = a.left < b.left ? [a, b] : [b, a];
  assert.equal(beside(tiles.slice(1), left, 1, 0), right);
  assert.equal(beside(tiles.slice(1), right, -1, 0), left);
  assert.equal(beside(tiles.slice(1), left, -1, 0), undefined);
});
