// One stage: its files on the left, the chosen one's change on the right, and what is to become of it.
import { useMemo, useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { ApplyDone, StageFile, StageWhole } from "../../api/schema";
import { Dialog } from "../../parts/dialog";
import { Empty, Failure, Waiting } from "../../parts/notice";
import { plural } from "../../parts/words";
import { useLive } from "../../state/live";
import { useAction, useResource } from "../../state/resource";
import { go, link, param, setQuery } from "../../state/route";
import { ApplyDialog } from "./apply_dialog";
import { FileList } from "./file_list";
import { FilePane } from "./file_pane";
import { KeyHelp } from "./key_help";
import { acceptRest, reviewable, tally } from "./marks";
import { useReview } from "./state";
import { treeRows } from "./tree";

export function StageReview({ project, id }: { project: string; id: string }) {
  const stage = useResource(id, () => api.stages.show(project, id));
  // Whoever worked in it has ended: what it left is there now.
  useLive(["stages", "sessions"], stage.reload);
  const [result, setResult] = useState<ApplyDone>();
  // A stage of which all was applied may be gone; what was done is said all the same.
  if (stage.error && !stage.data) {
    return (
      <div class="page">
        {result ? <Outcome project={project} stage={id} result={result} undone={stage.reload} /> : <Failure error={stage.error} retry={stage.reload} />}
        <a class="button" href={link(project, "review")}>
          All stages
        </a>
      </div>
    );
  }
  if (!stage.data) return <Waiting what="the stage" />;
  return <Open project={project} stage={stage.data} reload={stage.reload} result={result} setResult={setResult} />;
}

function Outcome({ project, stage, result, undone }: { project: string; stage: string; result: ApplyDone; undone: () => void }) {
  const [done, setDone] = useState(false);
  const undo = useAction(async () => {
    await api.stages.undo(project, stage, { journal: result.journal });
    setDone(true);
    undone();
  });
  return (
    <div class={`notice ${undo.error ? "" : "good"}`} role="status">
      <div class="row">
        <strong>{done ? "Undone: the project is as it was before." : `Applied ${plural(result.applied.length, "path")}.`}</strong>
        {!done && (
          <button type="button" class="button small" disabled={undo.busy} onClick={() => void undo.run()}>
            Undo
          </button>
        )}
      </div>
      <Failure error={undo.error} />
    </div>
  );
}

function Discard({ project, stage, close }: { project: string; stage: StageWhole; close: () => void }) {
  const discard = useAction(async () => {
    await api.stages.discard(project, stage.id, {});
    go(link(project, "review"));
  });
  return (
    <Dialog title={`Discard stage ${stage.name}?`} close={close}>
      <p>{plural(stage.files.length, "change")} will be lost. What was applied stays in the project.</p>
      <Failure error={discard.error} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="button danger" disabled={discard.busy} onClick={() => void discard.run()}>
          Discard
        </button>
      </div>
    </Dialog>
  );
}

function matching(files: readonly StageFile[], wanted: string): StageFile[] {
  const text = wanted.toLowerCase();
  return files.filter((file) => file.path.toLowerCase().includes(text));
}

interface OpenProperties {
  project: string;
  stage: StageWhole;
  reload: () => void;
  result: ApplyDone | undefined;
  setResult: (result: ApplyDone) => void;
}

function Open({ project, stage, reload, result, setResult }: OpenProperties) {
  const review = useReview(project, stage.id);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const wanted = param("find");
  const files = useMemo(() => reviewable(stage.files), [stage]);
  const rows = useMemo(() => treeRows(matching(files, wanted), closed), [files, wanted, closed]);
  const order = useMemo(() => rows.flatMap((row) => (row.kind === "file" ? [row.file] : [])), [rows]);
  const chosen = order.find((file) => file.path === param("file")) ?? order[0];
  const counts = tally(review.marks, files);
  const toggle = (folder: string): void => setClosed((old) => new Set(old.has(folder) ? [...old].filter((one) => one !== folder) : [...old, folder]));
  const dialog = param("dialog");
  const close = (): void => setQuery({ dialog: "" });
  return (
    <div class={`review ${param("file") ? "has-file" : ""}`}>
      <section class="review-side" aria-label="Files of the stage">
        <div class="review-head">
          <div class="row tight">
            <a class="button quiet small" href={link(project, "review")} aria-label="All stages">
              ←
            </a>
            <h1 class="clip">{stage.name}</h1>
            {stage.state === "in_use" && <span class="badge accent live">in use</span>}
            <span class="spread" />
            <button type="button" class="button quiet small" onClick={() => setQuery({ dialog: "keys" })} aria-label="Keys">
              <kbd>?</kbd>
            </button>
          </div>
          <p class="small muted" role="status">
            {plural(files.length, "file")} · {counts.taken.length} accepted · {counts.rejected} rejected · {counts.viewed} viewed
          </p>
          <input class="input" type="search" placeholder="Find a file" aria-label="Find a file" value={wanted} onInput={(event) => setQuery({ find: event.currentTarget.value }, true)} />
        </div>
        {result && <Outcome key={result.journal} project={project} stage={stage.id} result={result} undone={reload} />}
        <FileList rows={rows} marks={review.marks} chosen={chosen?.path} closed={closed} toggle={toggle} />
        <div class="review-foot">
          <button type="button" class="button small" disabled={counts.undecided === 0} onClick={() => review.change((marks) => acceptRest(marks, files))}>
            Accept the rest
          </button>
          <button type="button" class="button danger small" onClick={() => setQuery({ dialog: "discard" })}>
            Discard…
          </button>
          <span class="spread" />
          <button type="button" class="button primary small" disabled={counts.taken.length === 0} onClick={() => setQuery({ dialog: "apply" })}>
            Apply {counts.taken.length}…
          </button>
        </div>
      </section>
      <section class="review-main" aria-label="The chosen file">
        {chosen ? (
          <FilePane key={chosen.path} project={project} stage={stage.id} file={chosen} order={order} review={review} reload={reload} />
        ) : (
          <Empty title={wanted ? "No file matches" : "The stage holds no change"}>
            <p>{wanted ? "Another word, perhaps." : "All of it was applied or discarded."}</p>
          </Empty>
        )}
      </section>
      {dialog === "apply" && (
        <ApplyDialog
          project={project}
          stage={stage}
          review={review}
          close={close}
          refused={reload}
          done={(applied) => {
            close();
            review.forget();
            setResult(applied);
            reload();
          }}
        />
      )}
      {dialog === "discard" && <Discard project={project} stage={stage} close={close} />}
      {dialog === "keys" && <KeyHelp close={close} />}
    </div>
  );
}
