// Who may call whom, with what; and what was called.
import * as api from "../../api/calls";
import { WorkersIcon } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useResource } from "../../state/resource";
import { Calls } from "./calls";
import { WorkerNode } from "./worker_node";
import "./workers.css";

export function Workers({ project }: ScreenProperties) {
  const tree = useResource(project.id, () => api.workers.tree(project.id));
  const calls = useResource(project.id, () => api.workers.calls(project.id));
  useLive(["manifest"], tree.reload);
  useLive(["sessions"], calls.reload);
  const workers = tree.data?.workers ?? [];
  return (
    <div class="page">
      <div class="page-head">
        <h1>Workers</h1>
        <p class="lead">Nobody gets more than his caller has. What was asked for and not given is struck out.</p>
      </div>
      <Failure error={tree.error} retry={tree.reload} />
      {!tree.data && !tree.error && <Waiting what="workers" />}
      {tree.data?.problems.map((problem) => (
        <p key={problem} class="notice warn">
          {problem}
        </p>
      ))}
      {tree.data && workers.length === 0 && tree.data.problems.length === 0 && (
        <Empty icon={<WorkersIcon />} title="No workers here">
          <p>
            A worker is a file in <code>.pale/workers</code> that says what it is told and which zones it needs. <code>pale help worker</code> shows how.
          </p>
        </Empty>
      )}
      {workers.length > 0 && (
        <ul class="worker-tree card">
          {workers.map((worker, index) => (
            <WorkerNode key={`${worker.name}:${index}`} worker={worker} />
          ))}
        </ul>
      )}
      {tree.data && workers.length > 0 && <p class="small muted">Calls end at depth {tree.data.max_depth}.</p>}
      <Failure error={calls.error} retry={calls.reload} />
      {calls.data && calls.data.calls.length > 0 && <Calls project={project.id} calls={calls.data.calls} />}
    </div>
  );
}
