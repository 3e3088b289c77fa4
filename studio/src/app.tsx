// Who is there, then which project, then the screen: in this order, and nothing before its turn.
import { useEffect, useRef } from "preact/hooks";
import * as api from "./api/calls";
import { shutOut, useCsrf } from "./api/client";
import type { Me, Project, Projects } from "./api/schema";
import { Logo } from "./parts/icons";
import { Failure, Waiting } from "./parts/notice";
import { Gate } from "./screens/gate/gate";
import { Shell } from "./shell/shell";
import { route } from "./state/route";
import { useResource, type Resource } from "./state/resource";

export function App() {
  const me = useResource<Me>("me", async () => {
    const answer = await api.me();
    useCsrf(answer.csrf);
    return answer;
  });
  // Asked for at the same time: what is shown first needs both.
  const projects = useResource("projects", api.projects.list);
  const barred = shutOut.value ?? me.error;
  if (barred) {
    return (
      <main class="door">
        <Logo />
        <h1>Pale Studio</h1>
        <Failure error={barred} retry={() => location.reload()} />
      </main>
    );
  }
  if (!me.data) return <Waiting what="Studio" />;
  const project = route.value.project;
  return project === undefined ? <Gate me={me.data} all={projects} /> : <Chosen id={project} key={project} all={projects} />;
}

// A project that is not there, or cannot be used, leads back to the gate, which says why.
function Chosen({ id, all }: { id: string; all: Resource<Projects> }) {
  const project: Project | undefined = all.data?.projects.find((one) => one.id === id);
  useEffect(() => {
    document.title = project ? `${project.name} · Pale Studio` : "Pale Studio";
  }, [project?.name]);
  // One that was made a moment ago may be missing in what was loaded before.
  const old = useRef(all.data);
  useEffect(() => {
    if (old.current && !project) all.reload();
  }, []);
  if (all.error) {
    return (
      <main class="door">
        <Failure error={all.error} retry={all.reload} />
      </main>
    );
  }
  if (!all.data || (!project && all.data === old.current)) return <Waiting what="the project" />;
  if (project) return <Shell project={project} />;
  return (
    <main class="door">
      <Logo />
      <h1>There is no project “{id}”</h1>
      <p class="muted">It may have been unregistered, or the address is an old one.</p>
      <a class="button primary" href="/">
        Choose a project
      </a>
    </main>
  );
}
