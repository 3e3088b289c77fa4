import assert from "node:assert/strict";
import { test } from "node:test";
import { Lines } from "./lines";
import { classes, plain, restyled } from "./sgr";
import { Tokens } from "./tokens";

function shown(...chunks: string[]): string[] {
  const lines = new Lines();
  for (const chunk of chunks) lines.write(chunk, "stdout");
  return lines.all().map((line) => line.spans.map((span) => span.text).join(""));
}

function styled(text: string): [string, string][] {
  const lines = new Lines();
  lines.write(text, "stdout");
  return lines.all().flatMap((line) => line.spans.map((span): [string, string] => [span.text, span.classes]));
}

test("colours become classes, and end", () => {
  assert.deepEqual(styled("a\x1b[1;31mb\x1b[0mc"), [["a", ""], ["b", "fore-red bold"], ["c", ""]]);
  assert.deepEqual(styled("\x1b[mx"), [["x", ""]]);
  assert.equal(classes(restyled(plain, "38;5;196")), "fore-red");
  assert.equal(classes(restyled(plain, "48;2;0;0;255;4")), "back-blue underline");
  assert.equal(classes(restyled(plain, "7")), "fore-ground back-ink");
  assert.equal(classes(restyled(plain, "38;5;999;1")), "bold");
});

test("every other sequence is dropped whole", () => {
  const harmful = [
    "\x1b]0;a title\x07", "\x1b]8;;http://198.51.100.1/\x1b\\", "\x1b]52;c;cm0gLXJm\x07", "\x1bPq#0;2;0;0;0\x1b\\", "\x1b_command\x1b\\",
    "\x1b^private\x1b\\", "\x1b[2J", "\x1b[H", "\x1b[999;999H", "\x1b[?1049h", "\x1b[6n", "\x1b[>c", "\x1b[1;31$r", "\x1b(0", "\x1bc", "\x1b#8",
    "\x9b2J", "\x9d0;title\x9c", "\x90q\x9c", "\x1b[5i", "\x1b[?2004h", "\x1b[>1m", "\x1b[?31m",
  ];
  for (const sequence of harmful) assert.deepEqual(shown(`a${sequence}b`), ["ab"], JSON.stringify(sequence));
});

test("a sequence in pieces is one sequence", () => {
  const whole = "x\x1b]0;title\x1b\\y\x1b[31mz\x1b[2Jw";
  for (let at = 0; at <= whole.length; at++) {
    assert.deepEqual(shown(whole.slice(0, at), whole.slice(at)), ["xyzw"], `cut at ${at}`);
  }
  assert.deepEqual(shown(...whole.split("")), ["xyzw"]);
});

test("a sequence that never ends does not swallow the rest", () => {
  const [line] = shown(`\x1b]0;${"x".repeat(5000)}still here`);
  assert.ok(line?.endsWith("still here"));
  assert.deepEqual(shown("\x1b]0;\x18seen"), ["seen"]);
});

test("characters that hide or turn around are shown as what they are", () => {
  assert.deepEqual(shown("a\u202eb\u200bc\x08d\x7f\u{e0041}"), ["a\\u{202e}b\\u{200b}c\\x08d\\x7f\\u{e0041}"]);
});

test("markup is text", () => {
  assert.deepEqual(styled("<img src=x onerror=alert(1)>"), [["<img src=x onerror=alert(1)>", ""]]);
});

test("a carriage return writes over, and erasing takes the rest", () => {
  assert.deepEqual(shown("10%\r20%\r100%\n"), ["100%"]);
  assert.deepEqual(shown("downloading\rdone"), ["doneloading"]);
  assert.deepEqual(shown("downloading\r\x1b[Kdone\r\n"), ["done"]);
  assert.deepEqual(shown("one\r\ntwo\r\n"), ["one", "two"]);
});

test("streams keep their own colours, and their lines apart", () => {
  const lines = new Lines();
  lines.write("\x1b[31mout", "stdout");
  lines.write("error\n", "stderr");
  lines.write("more\n", "stdout");
  assert.deepEqual(lines.all().map((line) => [line.source, line.spans]), [
    ["stdout", [{ text: "out", classes: "fore-red" }]],
    ["stderr", [{ text: "error", classes: "" }]],
    ["stdout", [{ text: "more", classes: "fore-red" }]],
  ]);
});

test("much output is bounded", () => {
  const lines = new Lines();
  for (let turn = 0; turn < 300; turn++) lines.write("line\n".repeat(100), "stdout");
  assert.ok(lines.all().length <= 10_000);
  assert.equal(lines.dropped + lines.all().length, 30_000);
});

test("random bytes leave nothing that a terminal would obey", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const letters = "\x1b\x9b\x9d\x90[]P^_;:0123456789mKHJ?>\x07\x18\\\n\r abc\u202e";
  const tokens = new Tokens();
  for (let turn = 0; turn < 20_000; turn++) {
    const text = Array.from({ length: random(12) }, () => letters.charAt(random(letters.length))).join("");
    for (const token of tokens.feed(text)) {
      if (token.kind === "text") assert.doesNotMatch(token.text, /[\x00-\x08\x0a-\x1f\x7f-\x9f\u202e]/);
    }
  }
});
