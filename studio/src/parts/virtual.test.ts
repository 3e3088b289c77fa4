import assert from "node:assert/strict";
import { test } from "node:test";
import { rowAt, topsOf, windowOf } from "./virtual";

test("the window holds what is seen and a little more", () => {
  const tops = topsOf(2000, () => 30);
  const window = windowOf(tops, 3000, 600, 5);
  assert.deepEqual(window, { first: 95, last: 126, above: 2850, below: 56_220 });
  assert.equal(window.above + (window.last - window.first) * 30 + window.below, 60_000);
});

test("rows of different heights", () => {
  const tops = topsOf(4, (index) => (index + 1) * 10);
  assert.deepEqual([0, 9, 10, 29, 30, 99, 500].map((offset) => rowAt(tops, offset)), [0, 0, 1, 1, 2, 3, 3]);
});

test("an empty list", () => {
  assert.deepEqual(windowOf(topsOf(0, () => 30), 0, 600, 5), { first: 0, last: 0, above: 0, below: 0 });
});
