import * as api from "../../api/calls";
import type { Project } from "../../api/schema";
import { Failure, Hint } from "../../parts/notice";
import { Ago } from "../../parts/time";
import { useAction } from "../../state/resource";
import { link } from "../../state/route";

const kinds: Record<Project["kind"], string> = {
  manifest: "manifest",
  registered: "registered",
  managed: "managed",
  temporary: "temporary",
};

interface Properties {
  project: Project;
  changed: () => void;
  unregister: () => void;
}

export function ProjectCard({ project, changed, unregister }: Properties) {
  const makeDefault = useAction(async () => {
    await api.projects.makeDefault(project.id);
    changed();
  });
  // It is in no registry: pale project delete is for those.
  const managed = project.kind === "managed";
  return (
    <li class="card project-card">
      <div class="row tight">
        <h2 class="clip">
          <a href={link(project.id, "sessions")}>{project.name}</a>
        </h2>
        {project.is_default && <span class="badge accent">default</span>}
        <span class="spread" />
        <span class="badge">{kinds[project.kind]}</span>
      </div>
      <p class="path muted">{project.root}</p>
      {project.problems.map((problem) => (
        <div key={problem.code + problem.message} class="notice warn">
          <strong>{problem.message}</strong>
          <Hint text={problem.hint} />
        </div>
      ))}
      <Failure error={makeDefault.error} />
      <div class="row card-foot">
        <span class="muted small">{project.last_used ? <>used <Ago time={project.last_used} /></> : "never used"}</span>
        <span class="spread" />
        {!managed && !project.is_default && (
          <button type="button" class="button quiet small" disabled={makeDefault.busy} onClick={() => void makeDefault.run()}>
            Make default
          </button>
        )}
        {!managed && (
          <button type="button" class="button quiet small" onClick={unregister} aria-label={`Unregister ${project.name}`}>
            Unregister
          </button>
        )}
        <a class="button small primary" href={link(project.id, "sessions")} aria-label={`Open ${project.name}`}>
          Open
        </a>
      </div>
    </li>
  );
}
