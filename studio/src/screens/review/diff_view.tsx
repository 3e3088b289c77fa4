// One file's change. Rows that are not seen do not exist, so that a long one scrolls as a short one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileDiff, Hunk } from "../../api/schema";
import { Virtual } from "../../parts/virtual";
import { diffRows, type Cell, type DiffLine, type DiffRow } from "./diff_rows";
import { hunkChoice, type Choice, type Mark } from "./marks";

const lineHeight = 20;
const hunkHeight = 38;

function Text({ cell }: { cell: Cell | undefined }) {
  if (!cell) return <span class="text" />;
  const { text } = cell.line;
  const marked = cell.marked;
  if (!marked || marked.from === marked.to) return <span class="text">{text || " "}</span>;
  return (
    <span class="text">
      {text.slice(0, marked.from)}
      <mark>{text.slice(marked.from, marked.to)}</mark>
      {text.slice(marked.to)}
    </span>
  );
}

const signs: Record<DiffLine["kind"], string> = { " ": "", "+": "added", "-": "removed" };

function Side({ cell, number }: { cell: Cell | undefined; number: "old" | "new" }) {
  return (
    <span class={`side-cell ${cell ? signs[cell.line.kind] : "absent"}`}>
      <span class="number">{cell?.line[number] ?? ""}</span>
      <span class="sign" aria-hidden="true">
        {cell && cell.line.kind !== " " ? cell.line.kind : ""}
      </span>
      <Text cell={cell} />
    </span>
  );
}

interface HunkProperties {
  hunk: Hunk;
  whole: boolean;
  choice: Choice | undefined;
  current: boolean;
  choose: (choice: Choice) => void;
  focus: () => void;
}

function HunkHead({ hunk, whole, choice, current, choose, focus }: HunkProperties) {
  return (
    <div class={`hunk-head ${choice ?? ""} ${current ? "current" : ""}`} onClick={focus}>
      <code class="clip">{hunk.header}</code>
      <span class="spread" />
      {!whole && (
        <span class="row tight">
          <button type="button" class="button small" aria-pressed={choice === "accept"} onClick={() => choose("accept")} aria-label={`Accept hunk ${hunk.header}`}>
            Accept
          </button>
          <button type="button" class="button small" aria-pressed={choice === "reject"} onClick={() => choose("reject")} aria-label={`Reject hunk ${hunk.header}`}>
            Reject
          </button>
        </span>
      )}
    </div>
  );
}

// Letters that fit into a line of the view: the font has one width, so a row's height is known before it is drawn.
function useColumns(split: boolean): { ruler: preact.RefObject<HTMLSpanElement | null>; columns: number } {
  const ruler = useRef<HTMLSpanElement>(null);
  const [columns, setColumns] = useState(80);
  useEffect(() => {
    const view = ruler.current?.parentElement;
    const measure = (): void => {
      const letter = (ruler.current?.getBoundingClientRect().width ?? 780) / 100;
      const width = view?.clientWidth ?? 800;
      setColumns(Math.max(10, Math.floor(((split ? width / 2 : width) - (split ? 76 : 120)) / letter)));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    if (view) watcher.observe(view);
    return () => watcher.disconnect();
  }, [split]);
  return { ruler, columns };
}

const linesOf = (cell: Cell | undefined, columns: number): number => Math.max(1, Math.ceil((cell?.line.text.length ?? 0) / columns));

function heightOf(row: DiffRow | undefined, columns: number): number {
  if (!row) return lineHeight;
  if (row.kind === "hunk") return hunkHeight;
  if (row.kind === "line") return lineHeight * linesOf(row.cell, columns);
  return lineHeight * Math.max(linesOf(row.left, columns), linesOf(row.right, columns));
}

interface Properties {
  diff: FileDiff;
  split: boolean;
  mark: Mark;
  hunk: string | undefined;
  choose: (hunk: string, choice: Choice) => void;
  focus: (hunk: string) => void;
}

export function DiffView({ diff, split, mark, hunk, choose, focus }: Properties) {
  const rows = useMemo(() => diffRows(diff, split), [diff, split]);
  const { ruler, columns } = useColumns(split);
  const current = rows.findIndex((row) => row.kind === "hunk" && row.hunk.id === hunk);
  const draw = (at: number) => {
    const row = rows[at];
    if (!row) return null;
    if (row.kind === "hunk") {
      return (
        <HunkHead
          key={at}
          hunk={row.hunk}
          whole={diff.whole}
          choice={hunkChoice(mark, row.hunk.id)}
          current={row.hunk.id === hunk}
          choose={(choice) => choose(row.hunk.id, choice)}
          focus={() => focus(row.hunk.id)}
        />
      );
    }
    const rejected = hunkChoice(mark, row.hunk) === "reject" ? "rejected-line" : "";
    if (row.kind === "line") {
      const { line } = row.cell;
      return (
        <div key={at} class={`diff-line ${signs[line.kind]} ${rejected}`}>
          <span class="number">{line.old ?? ""}</span>
          <span class="number">{line.new ?? ""}</span>
          <span class="sign" aria-hidden="true">
            {line.kind}
          </span>
          <Text cell={row.cell} />
        </div>
      );
    }
    return (
      <div key={at} class={`diff-pair ${rejected}`}>
        <Side cell={row.left} number="old" />
        <Side cell={row.right} number="new" />
      </div>
    );
  };
  return (
    <div class="diff-frame">
      <span ref={ruler} class="ruler" aria-hidden="true">
        {"0".repeat(100)}
      </span>
      <Virtual
        class="diff"
        label={`Change of ${diff.path}`}
        focusable
        count={rows.length}
        height={(index) => heightOf(rows[index], columns)}
        version={`${diff.path}:${split}:${columns}:${rows.length}`}
        shown={hunk && current >= 0 ? { index: current, turn: `${diff.path}:${hunk}` } : undefined}
        render={draw}
      />
    </div>
  );
}
