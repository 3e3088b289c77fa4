// The last look. What something on the host would execute is a list of its own, ticked one by one.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { ApplyDone, GateItem, StageWhole } from "../../api/schema";
import { Dialog } from "../../parts/dialog";
import { Failure } from "../../parts/notice";
import { plural } from "../../parts/words";
import { useAction } from "../../state/resource";
import { applyRequest, reviewable, tally } from "./marks";
import type { ReviewState } from "./state";

interface Properties {
  project: string;
  stage: StageWhole;
  review: ReviewState;
  close: () => void;
  refused: () => void;
  done: (result: ApplyDone) => void;
}

function listed(details: Record<string, unknown>): string[] {
  return Object.values(details).flatMap((value) => (Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))) : []));
}

function Gate({ items, ticked, tick }: { items: readonly GateItem[]; ticked: ReadonlySet<string>; tick: (id: string, on: boolean) => void }) {
  return (
    <fieldset class="gate-items">
      <legend>
        <strong>These would be executed on your machine.</strong> Tick each one that you have read and want.
      </legend>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <label class="check">
              <input type="checkbox" checked={ticked.has(item.id)} onChange={(event) => tick(item.id, event.currentTarget.checked)} />
              <span>
                <span class="path">{item.path}</span>
                <span class="small muted"> {item.reason || item.message}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

export function ApplyDialog({ project, stage, review, close, refused, done }: Properties) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const counts = tally(review.marks, reviewable(stage.files));
  const taken = new Set(counts.taken.map((file) => file.path));
  const gate = stage.gate.filter((item) => taken.has(item.path) || counts.taken.some((file) => file.gate === item.id));
  const open = counts.taken.filter((file) => file.conflict && review.resolutions[file.path] === undefined);
  const missing = gate.filter((item) => !ticked.has(item.id)).length;
  const apply = useAction(async () => {
    const chosen = gate.map((item) => item.id).filter((id) => ticked.has(id));
    const wanted = applyRequest(review.marks, stage.files, chosen, review.resolutions);
    // A refusal may mean that the stage is another one by now.
    const result = await api.stages.apply(project, stage.id, wanted).catch((failure: unknown) => {
      refused();
      throw failure;
    });
    done(result);
  });
  const tick = (id: string, on: boolean): void => setTicked((old) => new Set(on ? [...old, id] : [...old].filter((one) => one !== id)));
  return (
    <Dialog title={`Apply ${plural(counts.taken.length, "file")}`} close={close}>
      <p>
        {plural(counts.taken.length, "accepted file")} of stage <strong>{stage.name}</strong> will be written to the project, as a whole or not at all. It can be undone.
      </p>
      {counts.undecided > 0 && <p class="muted">{plural(counts.undecided, "file is", "files are")} undecided, and stay in the stage.</p>}
      {open.length > 0 && (
        <div class="notice warn">
          <strong>{plural(open.length, "conflict")} to be settled first</strong>
          <ul class="path">
            {open.map((file) => (
              <li key={file.path}>{file.path}</li>
            ))}
          </ul>
        </div>
      )}
      {gate.length > 0 && <Gate items={gate} ticked={ticked} tick={tick} />}
      <Failure error={apply.error}>
        {apply.error && (
          <ul class="path">
            {listed(apply.error.details).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </Failure>
      <div class="dialog-foot">
        {missing > 0 && <span class="muted small">{plural(missing, "box", "boxes")} not ticked</span>}
        <button type="button" class="button primary" disabled={apply.busy || counts.taken.length === 0 || missing > 0 || open.length > 0} onClick={() => void apply.run()}>
          Apply to the project
        </button>
      </div>
    </Dialog>
  );
}
