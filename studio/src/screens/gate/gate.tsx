// Which project? Nothing else opens before that is said.
import { useEffect, useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { Me, Project, Projects } from "../../api/schema";
import { FolderIcon, Logo } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import { ThemeButton } from "../../shell/theme_button";
import { useAction, type Resource } from "../../state/resource";
import { setQuery, route } from "../../state/route";
import { NewProject } from "./new_project";
import { ProjectCard } from "./project_card";
import { Unregister } from "./unregister";
import "./gate.css";

function byUse(a: Project, b: Project): number {
  if (a.is_default !== b.is_default) return a.is_default ? -1 : 1;
  return (b.last_used ?? "").localeCompare(a.last_used ?? "") || a.name.localeCompare(b.name);
}

function matches(project: Project, wanted: string): boolean {
  return `${project.name} ${project.id} ${project.root}`.toLowerCase().includes(wanted.toLowerCase());
}

export function Gate({ me, all }: { me: Me; all: Resource<Projects> }) {
  const [leaving, setLeaving] = useState<Project>();
  const wanted = route.value.query.get("find") ?? "";
  const leave = useAction(async () => {
    await api.logout();
    location.reload();
  });
  useEffect(() => {
    document.title = "Projects · Pale Studio";
    // Whoever comes back to the gate sees it as it is now.
    if (all.data) all.reload();
  }, []);
  const projects = [...(all.data?.projects ?? [])].sort(byUse).filter((project) => matches(project, wanted));
  return (
    <div class="gate">
      <header class="bar">
        <span class="brand">
          <Logo />
          Pale Studio
        </span>
        <span class="spread" />
        <span class="muted small clip">
          {me.user} · {me.version}
        </span>
        <ThemeButton />
        <button type="button" class="button quiet small" onClick={() => void leave.run()}>
          Log out
        </button>
      </header>
      <main class="gate-main">
        <div class="gate-title">
          <h1>Choose a project</h1>
          <p class="muted">Everything here happens inside one project’s boundary. Pale never guesses which.</p>
        </div>
        <Failure error={leave.error} />
        <Failure error={all.error} retry={all.reload} />
        {!all.data && !all.error && <Waiting what="projects" />}
        {all.data && all.data.projects.length > 6 && (
          <input class="input" type="search" placeholder="Find a project" aria-label="Find a project" value={wanted} onInput={(event) => setQuery({ find: event.currentTarget.value }, true)} />
        )}
        {all.data?.projects.length === 0 && (
          <Empty icon={<FolderIcon />} title="No project yet">
            <p>Name a folder below and Pale draws a boundary around it. Nothing in it is changed but for one small file, .pale/project.toml.</p>
          </Empty>
        )}
        {all.data && all.data.projects.length > 0 && projects.length === 0 && <p class="muted">No project matches “{wanted}”.</p>}
        <ul class="cards">
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} changed={all.reload} unregister={() => setLeaving(project)} />
          ))}
        </ul>
        {all.data && <NewProject first={all.data.projects.length === 0} />}
      </main>
      {leaving && (
        <Unregister
          project={leaving}
          close={() => setLeaving(undefined)}
          done={() => {
            setLeaving(undefined);
            all.reload();
          }}
        />
      )}
    </div>
  );
}
