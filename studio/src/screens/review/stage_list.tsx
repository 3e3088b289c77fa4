// Stages with their changes, and what was applied and can be taken back.
import * as api from "../../api/calls";
import type { Applied, Stage } from "../../api/schema";
import { ReviewIcon } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import { Ago } from "../../parts/time";
import { plural } from "../../parts/words";
import { useLive } from "../../state/live";
import { useAction, useResource } from "../../state/resource";
import { link } from "../../state/route";

function StageCard({ project, stage }: { project: string; stage: Stage }) {
  const { added, modified, deleted } = stage.changes;
  return (
    <li>
      <a class="card stage-card" href={link(project, "review", stage.id)}>
        <span class="row">
          <strong>{stage.name}</strong>
          {stage.state === "in_use" && <span class="badge accent live">in use</span>}
          {stage.conflicts > 0 && <span class="badge bad">{plural(stage.conflicts, "conflict")}</span>}
          {stage.gate > 0 && <span class="badge warn">{stage.gate} would run here</span>}
          <span class="spread" />
          <span class="muted small">
            begun <Ago time={stage.created} />
          </span>
        </span>
        <span class="row small muted">
          {added > 0 && <span class="plus">{added} added</span>}
          {modified > 0 && <span>{modified} changed</span>}
          {deleted > 0 && <span class="minus">{deleted} deleted</span>}
          {added + modified + deleted === 0 && <span>no change</span>}
          {stage.base && <span>on stage {stage.base}</span>}
        </span>
      </a>
    </li>
  );
}

function AppliedRow({ project, applied, changed }: { project: string; applied: Applied; changed: () => void }) {
  const undo = useAction(async () => {
    await api.stages.undo(project, applied.stage, { journal: applied.number });
    changed();
  });
  return (
    <li class="applied">
      <div class="row">
        <span>
          {plural(applied.changes, "path")} from stage <strong>{applied.stage}</strong>
        </span>
        <span class="muted small">
          <Ago time={applied.time} />
        </span>
        <span class="spread" />
        {applied.undone ? (
          <span class="badge">undone</span>
        ) : (
          <button type="button" class="button small" disabled={undo.busy} onClick={() => void undo.run()} aria-label={`Undo apply ${applied.number} of stage ${applied.stage}`}>
            Undo
          </button>
        )}
      </div>
      <Failure error={undo.error} />
    </li>
  );
}

export function StageList({ project }: { project: string }) {
  const list = useResource(project, () => api.stages.list(project));
  useLive(["stages"], list.reload);
  const stages = list.data?.stages ?? [];
  const applies = list.data?.applies ?? [];
  return (
    <div class="page">
      <div class="page-head">
        <h1>Review</h1>
        <p class="lead">What agents changed in their stages. The project changes only when you apply.</p>
      </div>
      <Failure error={list.error} retry={list.reload} />
      {!list.data && !list.error && <Waiting what="stages" />}
      {list.data && stages.length === 0 && (
        <Empty icon={<ReviewIcon />} title="Nothing to review">
          <p>A task that runs in a stage leaves its changes here.</p>
          <a class="button primary" href={link(project, "sessions", "", { new: "1" })}>
            Start a task
          </a>
        </Empty>
      )}
      <ul class="stack">
        {stages.map((stage) => (
          <StageCard key={stage.id} project={project} stage={stage} />
        ))}
      </ul>
      {applies.length > 0 && (
        <section class="stack">
          <h2>Applied</h2>
          <ul class="card">
            {applies.map((applied) => (
              <AppliedRow key={applied.number} project={project} applied={applied} changed={list.reload} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
