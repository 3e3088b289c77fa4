// What the reader has decided about a stage's files, as a value. A mark belongs to one version of a file: if that has changed since,
// it does not count. Nothing is taken over that was not accepted.
import type { Apply, FileDiff, StageFile } from "../../api/schema";

export type Choice = "accept" | "reject";

export interface Mark {
  version: string;
  viewed?: boolean;
  choice?: Choice;
  // Own choices of hunks, which count before the file's; and all hunks that there were.
  hunks?: Record<string, Choice>;
  all?: string[];
}

export type Marks = Readonly<Record<string, Mark>>;

// Directories that are made or removed with what is in them are no decision of their own: they go with it.
export function reviewable(files: readonly StageFile[]): StageFile[] {
  const parents = new Set<string>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) parents.add(path.slice(0, at));
  }
  return files.filter((file) => !(file.directory && (file.status === "added" || file.status === "deleted") && parents.has(file.path)));
}

export function markOf(marks: Marks, file: StageFile): Mark {
  const mark = marks[file.path];
  return mark?.version === file.version ? mark : { version: file.version };
}

function changed(marks: Marks, file: StageFile, change: (mark: Mark) => Mark): Marks {
  return { ...marks, [file.path]: change(markOf(marks, file)) };
}

export const setViewed = (marks: Marks, file: StageFile, viewed: boolean): Marks => changed(marks, file, (mark) => ({ ...mark, viewed }));

function without<K extends keyof Mark>(mark: Mark, ...keys: K[]): Mark {
  const copy = { ...mark };
  for (const key of keys) delete copy[key];
  return copy;
}

// The same choice again takes it back. Accepting leaves hunks rejected that were; rejecting means all of it.
export function chooseFile(marks: Marks, file: StageFile, choice: Choice): Marks {
  if (file.protected && choice === "accept") return marks;
  return changed(marks, file, (mark) => {
    if (mark.choice === choice) return without(mark, "choice", "hunks", "all");
    return choice === "reject" ? { ...without(mark, "hunks", "all"), choice, viewed: true } : { ...mark, choice, viewed: true };
  });
}

export function chooseHunk(marks: Marks, file: StageFile, diff: FileDiff, hunk: string, choice: Choice): Marks {
  if (file.protected || diff.whole) return chooseFile(marks, file, choice);
  return changed(marks, file, (mark) => {
    const all = diff.hunks.map((one) => one.id);
    const kept = Object.entries(mark.hunks ?? {}).filter(([id]) => all.includes(id) && id !== hunk);
    const again = mark.hunks?.[hunk] === choice;
    return { ...mark, all, hunks: Object.fromEntries([...kept, ...(again ? [] : [[hunk, choice] as const])]) };
  });
}

export const hunkChoice = (mark: Mark, hunk: string): Choice | undefined => mark.hunks?.[hunk] ?? mark.choice;

export type Outcome = "all" | "some" | "none" | "undecided";

function accepted(mark: Mark): string[] {
  return (mark.all ?? []).filter((id) => hunkChoice(mark, id) === "accept");
}

export function outcomeOf(mark: Mark): Outcome {
  if (!mark.all || Object.keys(mark.hunks ?? {}).length === 0) {
    return mark.choice === "accept" ? "all" : mark.choice === "reject" ? "none" : "undecided";
  }
  const taken = accepted(mark).length;
  if (taken === mark.all.length) return "all";
  if (taken > 0) return "some";
  return mark.all.every((id) => hunkChoice(mark, id) === "reject") ? "none" : "undecided";
}

// All that nobody has rejected.
export function acceptRest(marks: Marks, files: readonly StageFile[]): Marks {
  return files.reduce((all, file) => (file.protected || markOf(all, file).choice ? all : chooseFile(all, file, "accept")), marks);
}

// Directories of which all goes: they are to be gone, too.
function emptied(marks: Marks, files: readonly StageFile[]): string[] {
  const stays = files.filter((file) => !file.directory && outcomeOf(markOf(marks, file)) !== "all").map((file) => file.path);
  return files.filter((file) => file.directory && file.status === "deleted" && !stays.some((path) => path.startsWith(`${file.path}/`))).map((file) => file.path);
}

export function applyRequest(marks: Marks, files: readonly StageFile[], gate: readonly string[], resolutions: Record<string, string>): Apply {
  const whole: string[] = [];
  const hunks: Record<string, string[]> = {};
  const resolved: Record<string, string> = {};
  const versions: Record<string, string> = {};
  for (const file of files) {
    const mark = markOf(marks, file);
    const outcome = outcomeOf(mark);
    if (outcome === "all") whole.push(file.path);
    if (outcome === "some") hunks[file.path] = accepted(mark);
    if (outcome === "all" || outcome === "some") versions[file.path] = file.version;
    const resolution = resolutions[file.path];
    if (outcome === "all" && file.conflict && resolution !== undefined) resolved[file.path] = resolution;
  }
  const gone = emptied(marks, files).filter((path) => !whole.includes(path) && whole.some((file) => file.startsWith(`${path}/`)));
  return { files: [...whole, ...gone], hunks, gate: [...gate], resolutions: resolved, versions };
}

export interface Tally {
  taken: StageFile[];
  rejected: number;
  undecided: number;
  viewed: number;
}

export function tally(marks: Marks, files: readonly StageFile[]): Tally {
  const result: Tally = { taken: [], rejected: 0, undecided: 0, viewed: 0 };
  for (const file of files) {
    const mark = markOf(marks, file);
    const outcome = outcomeOf(mark);
    if (outcome === "all" || outcome === "some") result.taken.push(file);
    if (outcome === "none") result.rejected++;
    if (outcome === "undecided") result.undecided++;
    if (mark.viewed) result.viewed++;
  }
  return result;
}
