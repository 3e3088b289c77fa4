import assert from "node:assert/strict";
import { test } from "node:test";
import { byRule } from "./operations";

test("each rule once, in the order of its first operation", () => {
  const one = (operation: "read" | "write" | "create", rule: string) => ({
    operation, allowed: true, outcome: "", rule, message: "", origin: { kind: "manifest" as const, text: "the manifest", file: "p.toml", line: 4 },
  });
  const groups = byRule([one("read", "a"), one("write", "b"), one("create", "a")]);
  assert.deepEqual(groups.map((group) => [group.rule, group.origin, group.operations.map((each) => each.operation)]), [
    ["a", "p.toml:4", ["read", "create"]],
    ["b", "p.toml:4", ["write"]],
  ]);
});
