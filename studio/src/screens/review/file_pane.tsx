// The chosen file: what to do with it, and its change; and the keys.
import { useEffect } from "preact/hooks";
import * as api from "../../api/calls";
import type { FileDiff, StageFile } from "../../api/schema";
import { useKeys } from "../../parts/keys";
import { Empty, Failure, Waiting } from "../../parts/notice";
import { bytes } from "../../parts/words";
import { useWide } from "../../parts/wide";
import { useResource } from "../../state/resource";
import { param, setQuery } from "../../state/route";
import { ConflictView } from "./conflict_view";
import { DiffView } from "./diff_view";
import { statusLetters } from "./file_list";
import { chooseFile, chooseHunk, markOf, setViewed, type Choice } from "./marks";
import type { ReviewState } from "./state";

interface Properties {
  project: string;
  stage: string;
  file: StageFile;
  order: readonly StageFile[];
  review: ReviewState;
  reload: () => void;
}

function step<T>(all: readonly T[], current: T | undefined, by: number): T | undefined {
  const at = current === undefined ? -1 : all.indexOf(current);
  return at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[Math.min(all.length - 1, Math.max(0, at + by))];
}

export function FilePane({ project, stage, file, order, review, reload }: Properties) {
  const wide = useWide(1100);
  const split = wide && param("view") !== "unified";
  const diff = useResource(`${stage}:${file.path}:${file.version}`, () => api.stages.diff(project, stage, file.path));
  // The file was changed after the list was loaded: what is shown and what is marked must be the same.
  const stale = diff.data !== undefined && diff.data.version !== file.version;
  useEffect(() => {
    if (stale) reload();
  }, [stale]);
  const mark = markOf(review.marks, file);
  const hunks = diff.data?.hunks.map((one) => one.id) ?? [];
  const hunk = hunks.find((id) => id === param("hunk"));
  const open = (next: StageFile | undefined): void => {
    if (next && next !== file) setQuery({ file: next.path, hunk: "" });
  };
  const view = (): void => review.change((marks) => setViewed(marks, file, !mark.viewed));
  const choose = (choice: Choice): void => review.change((marks) => chooseFile(marks, file, choice));
  const chooseOne = (id: string, choice: Choice): void => {
    if (diff.data) review.change((marks) => chooseHunk(marks, file, diff.data as FileDiff, id, choice));
  };
  const decide = (choice: Choice): void => (hunk ? chooseOne(hunk, choice) : choose(choice));
  const flip = (): void => setQuery({ view: split ? "unified" : "" }, true);
  useKeys({
    j: () => open(step(order, file, 1)),
    k: () => open(step(order, file, -1)),
    n: () => setQuery({ hunk: step(hunks, hunk, 1) ?? "" }, true),
    p: () => setQuery({ hunk: step(hunks, hunk, -1) ?? "" }, true),
    v: view,
    a: () => decide("accept"),
    x: () => decide("reject"),
    s: flip,
    Escape: () => setQuery({ hunk: "" }, true),
    "?": () => setQuery({ dialog: "keys" }),
  });
  const status = statusLetters[file.status];
  return (
    <div class="file-pane">
      <header class="file-head">
        <button type="button" class="button quiet small back" onClick={() => setQuery({ file: "" })}>
          ← Files
        </button>
        <div class="file-title">
          <h2 class="path">{file.from ? `${file.from} → ${file.path}` : file.path}</h2>
          <span class={`badge ${status.tone}`}>{status.word}</span>
          <span class="small muted">
            <span class="plus">+{file.added}</span> <span class="minus">−{file.removed}</span>
          </span>
        </div>
        <div class="row">
          {wide && !file.conflict && (
            <div class="segments" role="group" aria-label="Layout">
              <button type="button" class="button" aria-pressed={split} onClick={() => setQuery({ view: "" }, true)}>
                Side by side
              </button>
              <button type="button" class="button" aria-pressed={!split} onClick={() => setQuery({ view: "unified" }, true)}>
                Unified
              </button>
            </div>
          )}
          <label class="check small">
            <input type="checkbox" checked={mark.viewed ?? false} onChange={view} />
            <span>Viewed</span>
          </label>
          <button type="button" class="button small" aria-pressed={mark.choice === "accept"} disabled={Boolean(file.protected)} onClick={() => choose("accept")}>
            Accept
          </button>
          <button type="button" class="button small" aria-pressed={mark.choice === "reject"} onClick={() => choose("reject")}>
            Reject
          </button>
        </div>
      </header>
      {file.protected && (
        <div class="notice warn">
          <strong>It is protected and cannot be applied.</strong>
          <p class="small">{file.protected}</p>
        </div>
      )}
      {file.conflict ? (
        <ConflictView
          project={project}
          stage={stage}
          path={file.path}
          settled={review.resolutions[file.path]}
          settle={(text) => {
            review.resolve(file.path, text);
            if (mark.choice !== "accept") choose("accept");
          }}
        />
      ) : (
        <Change diff={diff.data} failure={<Failure error={diff.error} retry={diff.reload} />} failed={diff.error !== undefined}>
          {(data) => <DiffView diff={data} split={split} mark={mark} hunk={hunk} choose={chooseOne} focus={(id) => setQuery({ hunk: id }, true)} />}
        </Change>
      )}
    </div>
  );
}

interface ChangeProperties {
  diff: FileDiff | undefined;
  failure: preact.ComponentChildren;
  failed: boolean;
  children: (diff: FileDiff) => preact.ComponentChildren;
}

function Change({ diff, failure, failed, children }: ChangeProperties) {
  if (!diff) return failed ? <>{failure}</> : <Waiting what="the change" />;
  if (diff.binary) {
    return (
      <Empty title="Not a text">
        <p>
          {bytes(diff.before_size)} before, {bytes(diff.after_size)} after. It is taken whole, or not.
        </p>
      </Empty>
    );
  }
  if (diff.hunks.length === 0) {
    return (
      <Empty title="No line differs">
        <p>Its name, its mode or its kind changed, or it is empty.</p>
      </Empty>
    );
  }
  return (
    <>
      {diff.truncated && <p class="notice warn">It is too long to be shown whole. pale stage diff has all of it.</p>}
      {children(diff)}
    </>
  );
}
