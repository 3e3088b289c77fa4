// The rule that decided, and the change of the manifest that would decide otherwise: shown as a diff, saved by a click.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { Proposal } from "../../api/schema";
import { Dialog } from "../../parts/dialog";
import { Operations } from "../../parts/operations";
import { Failure, Hint, Waiting } from "../../parts/notice";
import { Patch } from "../../parts/patch";
import { useAction, useResource } from "../../state/resource";
import { link, setQuery } from "../../state/route";

function Proposed({ project, proposal }: { project: string; proposal: Proposal }) {
  const [saved, setSaved] = useState(false);
  const save = useAction(async () => {
    await api.manifest.save(project, proposal.manifest, proposal.digest);
    setSaved(true);
  });
  if (!proposal.possible) {
    return (
      <div class="notice warn">
        <strong>The manifest cannot allow this.</strong>
        {proposal.reason && <p>{proposal.reason}</p>}
        <Hint text={proposal.hint} />
      </div>
    );
  }
  if (saved) {
    return (
      <div class="notice good" role="status">
        <strong>Saved. It counts from the next start on.</strong>
      </div>
    );
  }
  return (
    <>
      <h3>This change of .pale/project.toml would allow it</h3>
      <Patch text={proposal.diff} label="Change of the manifest" />
      {proposal.changed.length > 0 && (
        <p class="small muted">
          It changes {proposal.changed.length === 1 ? "one area" : `${proposal.changed.length} areas`}: {proposal.changed.slice(0, 3).map((area) => `${area.path || "the project"} (${area.before} → ${area.after})`).join(", ")}
        </p>
      )}
      <Hint text={proposal.hint} />
      <Failure error={save.error} />
      <div class="dialog-foot">
        <button type="button" class="button primary" disabled={save.busy} onClick={() => void save.run()}>
          Save the manifest
        </button>
      </div>
    </>
  );
}

export function Why({ project, path, operation }: { project: string; path: string; operation: string }) {
  const explained = useResource(path, () => api.boundary.explain(project, path));
  const [proposal, setProposal] = useState<Proposal>();
  const propose = useAction(async () => setProposal(await api.accesses.propose(project, { path, operation: operation || "read" })));
  return (
    <Dialog title="Why?" wide close={() => setQuery({ why: "", operation: "" })}>
      <p class="path">{path}</p>
      <Failure error={explained.error} />
      {explained.data ? <Operations operations={explained.data.operations} marked={operation} /> : !explained.error && <Waiting what="the rule" />}
      <Failure error={propose.error} />
      {proposal ? (
        <Proposed project={project} proposal={proposal} />
      ) : (
        <div class="dialog-foot">
          <a class="button" href={link(project, "boundary", "", { path })}>
            Show on the map
          </a>
          <button type="button" class="button primary" disabled={propose.busy} onClick={() => void propose.run()}>
            Propose a change that allows it
          </button>
        </div>
      )}
    </Dialog>
  );
}
