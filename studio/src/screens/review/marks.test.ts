import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileDiff, StageFile } from "../../api/schema";
import { acceptRest, applyRequest, chooseFile, chooseHunk, markOf, outcomeOf, reviewable, setViewed, tally, type Marks } from "./marks";

const file = (path: string, more: Partial<StageFile> = {}): StageFile => ({ path, version: "v1", status: "modified", directory: false, binary: false, added: 2, removed: 1, conflict: false, ...more });
const diff = (path: string, ...ids: string[]): FileDiff => ({
  path, version: "v1", status: "modified", binary: false, before_size: 1, after_size: 1, whole: false, truncated: false,
  hunks: ids.map((id) => ({ id, header: "", lines: [] })),
});
const none: Marks = {};
const request = (marks: Marks, files: StageFile[]) => applyRequest(marks, files, [], {});

test("nothing is taken over that was not accepted", () => {
  assert.deepEqual(request(none, [file("a")]), { files: [], hunks: {}, gate: [], resolutions: {}, versions: {} });
  assert.deepEqual(request(setViewed(none, file("a"), true), [file("a")]).files, []);
});

test("one hunk rejected, the rest accepted", () => {
  const a = file("a");
  let marks = chooseHunk(none, a, diff("a", "1", "2", "3"), "2", "reject");
  assert.equal(outcomeOf(markOf(marks, a)), "undecided");
  marks = acceptRest(marks, [a]);
  assert.equal(outcomeOf(markOf(marks, a)), "some");
  assert.deepEqual(request(marks, [a]).hunks, { a: ["1", "3"] });
  assert.deepEqual(request(marks, [a]).files, []);
});

test("all hunks accepted one by one are the whole file, all rejected are nothing", () => {
  const a = file("a");
  const both = diff("a", "1", "2");
  const accepted = chooseHunk(chooseHunk(none, a, both, "1", "accept"), a, both, "2", "accept");
  assert.deepEqual(request(accepted, [a]).files, ["a"]);
  const rejected = chooseHunk(chooseHunk(none, a, both, "1", "reject"), a, both, "2", "reject");
  assert.deepEqual(request(rejected, [a]), request(none, [a]));
  assert.equal(outcomeOf(markOf(rejected, a)), "none");
});

test("the same choice again takes it back", () => {
  const a = file("a");
  assert.equal(outcomeOf(markOf(chooseFile(chooseFile(none, a, "accept"), a, "accept"), a)), "undecided");
});

test("a file that has changed since is undecided again", () => {
  const marks = setViewed(chooseFile(none, file("a"), "accept"), file("a"), true);
  // As many lines as before, and others.
  const other = file("a", { version: "v2" });
  assert.deepEqual(markOf(marks, other), { version: "v2" });
  assert.deepEqual(request(marks, [other]).files, []);
});

test("an apply says which versions were seen", () => {
  const files = [file("a"), file("b", { version: "v7" }), file("c")];
  const hunk = chooseHunk(none, files[1]!, diff("b", "1", "2"), "1", "accept");
  assert.deepEqual(request(chooseFile(hunk, files[0]!, "accept"), files).versions, { a: "v1", b: "v7" });
});

test("what is protected cannot be accepted", () => {
  const locked = file("a", { protected: "protected .git/hooks" });
  assert.deepEqual(request(acceptRest(chooseFile(none, locked, "accept"), [locked]), [locked]).files, []);
});

test("a rejected file stays rejected when the rest is accepted", () => {
  const files = [file("a"), file("b")];
  const marks = acceptRest(chooseFile(none, file("a"), "reject"), files);
  assert.deepEqual(request(marks, files).files, ["b"]);
  assert.deepEqual({ ...tally(marks, files), taken: 1 }, { taken: 1, rejected: 1, undecided: 0, viewed: 2 });
});

test("a resolution goes with its file only", () => {
  const files = [file("a", { conflict: true }), file("b", { conflict: true })];
  const marks = chooseFile(none, files[0]!, "accept");
  assert.deepEqual(applyRequest(marks, files, ["g"], { a: "text", b: "other" }), { files: ["a"], hunks: {}, gate: ["g"], resolutions: { a: "text" }, versions: { a: "v1" } });
});

test("directories go with what is in them", () => {
  const made = [file("new", { status: "added", directory: true }), file("new/a", { status: "added" }), file("empty", { status: "added", directory: true })];
  assert.deepEqual(reviewable(made).map((one) => one.path), ["new/a", "empty"]);
  const gone = [file("old", { status: "deleted", directory: true }), file("old/a", { status: "deleted" }), file("old/b", { status: "deleted" })];
  assert.deepEqual(request(acceptRest(none, reviewable(gone)), gone).files, ["old/a", "old/b", "old"]);
  assert.deepEqual(request(chooseFile(none, gone[1]!, "accept"), gone).files, ["old/a"]);
});
