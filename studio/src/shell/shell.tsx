// The frame around a project's screens. Each screen is loaded when it is first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api/client";
import type { Project } from "../api/schema";
import { Empty, Failure, Waiting } from "../parts/notice";
import { asApiError } from "../state/resource";
import { watchProject } from "../state/live";
import { route, type Screen } from "../state/route";
import { Bar } from "./bar";
import { offers, Side } from "./side";

export interface ScreenProperties {
  project: Project;
}

const loaders: Record<Screen, () => Promise<ComponentType<ScreenProperties>>> = {
  sessions: async () => (await import("../screens/sessions/sessions")).Sessions,
  review: async () => (await import("../screens/review/review")).Review,
  accesses: async () => (await import("../screens/accesses/accesses")).Accesses,
  boundary: async () => (await import("../screens/boundary/boundary")).BoundaryScreen,
  approvals: async () => (await import("../screens/approvals/approvals")).Approvals,
  workers: async () => (await import("../screens/workers/workers")).Workers,
  loop: async () => (await import("../screens/loop/loop")).LoopScreen,
};

// Begun before it is known whether it will be shown: that takes as long.
export function preloadScreen(): void {
  if (route.value.project !== undefined) void loaders[route.value.screen]().catch(() => undefined);
}

const loaded: Partial<Record<Screen, ComponentType<ScreenProperties>>> = {};

function useScreen(screen: Screen): { shown: ComponentType<ScreenProperties> | undefined; error: ApiError | undefined } {
  const [, again] = useState(0);
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (loaded[screen]) return;
    setError(undefined);
    loaders[screen]().then(
      (component) => {
        loaded[screen] = component;
        again((turn) => turn + 1);
      },
      (failure: unknown) => setError(asApiError(failure)),
    );
  }, [screen]);
  return { shown: loaded[screen], error };
}

export function Shell({ project }: { project: Project }) {
  const screen = route.value.screen;
  const { shown: Shown, error } = useScreen(screen);
  useEffect(() => watchProject(project.id), [project.id]);
  return (
    <div class="shell">
      <Bar project={project} />
      <Side project={project} current={screen} />
      <main class="main" id="main" tabIndex={-1}>
        <Failure error={error} retry={() => location.reload()} />
        {!offers(project, screen) ? (
          <Empty title="Not for a managed project">
            <p>
              Its boundary and its workspaces are its tenants’: <code>pale project show {project.id}</code> says what they are.
            </p>
          </Empty>
        ) : Shown ? (
          <Shown project={project} key={screen} />
        ) : (
          !error && <Waiting what={screen} />
        )}
      </main>
    </div>
  );
}
