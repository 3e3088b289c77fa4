// A diff as rows to draw, one under the other: unified, or side by side with what was changed facing what it became.
import type { FileDiff, Hunk } from "../../api/schema";

export type DiffLine = Hunk["lines"][number];

// Where a changed line differs from the one it faces.
export interface Marked {
  from: number;
  to: number;
}

export interface Cell {
  line: DiffLine;
  marked?: Marked;
}

export type DiffRow = { kind: "hunk"; hunk: Hunk } | { kind: "line"; hunk: string; cell: Cell } | { kind: "pair"; hunk: string; left?: Cell; right?: Cell };

export function difference(before: string, after: string): [Marked, Marked] | undefined {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  // Lines that have little in common are other lines, and marks in them only disturb.
  if (start + end < Math.max(before.length, after.length) / 3) return undefined;
  return [
    { from: start, to: before.length - end },
    { from: start, to: after.length - end },
  ];
}

interface Facing {
  left?: Cell;
  right?: Cell;
}

function facing(removed: DiffLine[], added: DiffLine[]): Facing[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const before = removed[index];
    const after = added[index];
    const marks = before && after ? difference(before.text, after.text) : undefined;
    return {
      ...(before ? { left: { line: before, ...(marks ? { marked: marks[0] } : {}) } } : {}),
      ...(after ? { right: { line: after, ...(marks ? { marked: marks[1] } : {}) } } : {}),
    };
  });
}

// Runs of changed lines, in order, between those that stay.
function pairs(hunk: Hunk): Facing[] {
  const result: Facing[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    result.push(...facing(removed, added));
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    if (line.kind === "-") {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === "+") {
      added.push(line);
    } else {
      flush();
      result.push({ left: { line }, right: { line } });
    }
  }
  flush();
  return result;
}

// As the hunk has them, with the marks that their facing gave.
function unified(hunk: Hunk): Cell[] {
  const marked = new Map<DiffLine, Cell>();
  for (const { left, right } of pairs(hunk)) {
    if (left) marked.set(left.line, left);
    if (right) marked.set(right.line, right);
  }
  return hunk.lines.map((line) => marked.get(line) ?? { line });
}

export function diffRows(diff: FileDiff, split: boolean): DiffRow[] {
  return diff.hunks.flatMap((hunk): DiffRow[] => [
    { kind: "hunk", hunk },
    ...(split ? pairs(hunk).map((pair): DiffRow => ({ kind: "pair", hunk: hunk.id, ...pair })) : unified(hunk).map((cell): DiffRow => ({ kind: "line", hunk: hunk.id, cell }))),
  ]);
}
