// The chosen path: what may be done there, by which rule, and where that was said.
import * as api from "../../api/calls";
import { Failure, Waiting } from "../../parts/notice";
import { Operations } from "../../parts/operations";
import { useLive } from "../../state/live";
import { useResource } from "../../state/resource";

interface Properties {
  project: string;
  path: string;
  name: string;
  enter: (() => void) | undefined;
  close: () => void;
}

export function PathPanel({ project, path, name, enter, close }: Properties) {
  const explained = useResource(path, () => api.boundary.explain(project, path || "."));
  useLive(["manifest"], explained.reload);
  return (
    <section class="panel card" aria-label="The chosen path">
      <div class="row">
        <h2>{name}</h2>
        <span class="spread" />
        {enter && (
          <button type="button" class="button small" onClick={enter}>
            Zoom in
          </button>
        )}
        <button type="button" class="button quiet small" onClick={close}>
          Close
        </button>
      </div>
      {explained.data && <p class="path muted">{explained.data.path}</p>}
      <Failure error={explained.error} />
      {explained.data ? <Operations operations={explained.data.operations} /> : !explained.error && <Waiting what="the rule" />}
    </section>
  );
}
