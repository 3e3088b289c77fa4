// The tree of what changed. Only the rows that are seen exist, however many files there are.
import type { StageFile } from "../../api/schema";
import { Virtual } from "../../parts/virtual";
import { setQuery } from "../../state/route";
import { markOf, outcomeOf, type Marks, type Outcome } from "./marks";
import type { Row } from "./tree";

export const statusLetters: Record<StageFile["status"], { letter: string; word: string; tone: string }> = {
  added: { letter: "A", word: "added", tone: "good" },
  modified: { letter: "M", word: "changed", tone: "info" },
  deleted: { letter: "D", word: "deleted", tone: "bad" },
  renamed: { letter: "R", word: "renamed", tone: "violet" },
  type: { letter: "T", word: "another kind of file", tone: "warn" },
  mode: { letter: "P", word: "mode changed", tone: "warn" },
};

const outcomes: Record<Outcome, { sign: string; word: string }> = {
  all: { sign: "✓", word: "accepted" },
  some: { sign: "◐", word: "partly accepted" },
  none: { sign: "✕", word: "rejected" },
  undecided: { sign: "", word: "" },
};

function FileRow({ file, name, depth, marks, current }: { file: StageFile; name: string; depth: number; marks: Marks; current: boolean }) {
  const mark = markOf(marks, file);
  const status = statusLetters[file.status];
  const outcome = outcomeOf(mark);
  return (
    <button
      type="button"
      class={`file-row ${mark.viewed ? "viewed" : ""} ${outcome}`}
      style={{ paddingLeft: `${12 + depth * 14}px` }}
      aria-current={current ? "true" : undefined}
      onClick={() => setQuery({ file: file.path })}
      title={file.from ? `${file.from} → ${file.path}` : file.path}
    >
      <span class={`letter ${status.tone}`} aria-label={status.word}>
        {status.letter}
      </span>
      <span class="clip name">{name}{file.directory ? "/" : ""}</span>
      {file.conflict && <span class="badge bad">conflict</span>}
      {file.gate && <span class="badge warn">runs</span>}
      {file.protected && <span class="badge">protected</span>}
      <span class="spread" />
      <span class="numbers small muted" aria-hidden="true">
        {file.added > 0 && <span class="plus">+{file.added}</span>} {file.removed > 0 && <span class="minus">−{file.removed}</span>}
      </span>
      <span class="outcome" aria-label={outcomes[outcome].word || undefined}>
        {outcomes[outcome].sign}
      </span>
    </button>
  );
}

interface Properties {
  rows: readonly Row[];
  marks: Marks;
  chosen: string | undefined;
  closed: ReadonlySet<string>;
  toggle: (folder: string) => void;
}

export function FileList({ rows, marks, chosen, closed, toggle }: Properties) {
  const index = rows.findIndex((row) => row.kind === "file" && row.file.path === chosen);
  return (
    <Virtual
      class="file-list"
      label="Changed files"
      role="list"
      count={rows.length}
      height={() => 32}
      version={String(rows.length)}
      shown={chosen ? { index, turn: chosen } : undefined}
      render={(at) => {
        const row = rows[at];
        if (!row) return null;
        return (
          <div role="listitem" key={row.kind === "file" ? row.file.path : `${row.path}/`} aria-setsize={rows.length} aria-posinset={at + 1}>
            {row.kind === "file" ? (
              <FileRow file={row.file} name={row.name} depth={row.depth} marks={marks} current={row.file.path === chosen} />
            ) : (
              <button type="button" class="file-row folder" style={{ paddingLeft: `${12 + row.depth * 14}px` }} aria-expanded={!closed.has(row.path)} onClick={() => toggle(row.path)}>
                <span aria-hidden="true">{closed.has(row.path) ? "▸" : "▾"}</span>
                <span class="clip name">{row.name}</span>
                <span class="spread" />
                <span class="small muted">{row.files}</span>
              </button>
            )}
          </div>
        );
      }}
    />
  );
}
