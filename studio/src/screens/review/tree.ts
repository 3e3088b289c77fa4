// A stage's files as the rows of a tree: folders that hold nothing but one folder are one row.
import type { StageFile } from "../../api/schema";

export type Row = { kind: "folder"; path: string; name: string; depth: number; files: number } | { kind: "file"; file: StageFile; name: string; depth: number };

interface Folder {
  folders: Map<string, Folder>;
  files: StageFile[];
  count: number;
}

const empty = (): Folder => ({ folders: new Map(), files: [], count: 0 });

function planted(files: readonly StageFile[]): Folder {
  const root = empty();
  for (const file of files) {
    let at = root;
    for (const part of file.path.split("/").slice(0, -1)) {
      at.count++;
      const next = at.folders.get(part) ?? empty();
      at.folders.set(part, next);
      at = next;
    }
    at.count++;
    at.files.push(file);
  }
  return root;
}

// file2 before file10.
const order = new Intl.Collator("en", { numeric: true }).compare;

const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function flatten(folder: Folder, above: string, depth: number, closed: ReadonlySet<string>, rows: Row[]): void {
  const names = [...folder.folders.keys()].sort(order);
  for (const name of names) {
    let shown = name;
    let path = above + name;
    let at = folder.folders.get(name) ?? empty();
    while (at.files.length === 0 && at.folders.size === 1) {
      const [only, inner] = [...at.folders][0] ?? ["", empty()];
      shown += `/${only}`;
      path += `/${only}`;
      at = inner;
    }
    rows.push({ kind: "folder", path, name: shown, depth, files: at.count });
    if (!closed.has(path)) flatten(at, `${path}/`, depth + 1, closed, rows);
  }
  const files = [...folder.files].sort((a, b) => order(a.path, b.path));
  for (const file of files) rows.push({ kind: "file", file, name: lastOf(file.path), depth });
}

export function treeRows(files: readonly StageFile[], closed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  flatten(planted(files), "", 0, closed, rows);
  return rows;
}
