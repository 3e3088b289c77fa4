import type { ComponentChildren } from "preact";
import * as api from "../api/calls";
import type { Overview, Project } from "../api/schema";
import { AccessIcon, ApprovalsIcon, BoundaryIcon, LoopIcon, ReviewIcon, SessionsIcon, WorkersIcon } from "../parts/icons";
import { useLive } from "../state/live";
import { useResource } from "../state/resource";
import { link, type Screen } from "../state/route";

interface Entry {
  screen: Screen;
  name: string;
  icon: ComponentChildren;
  count?: (overview: Overview) => number;
  said?: string;
  tone?: string;
  // A managed project lies with Pale itself and belongs to tenants: it has sessions and what they tried, and nothing to review here.
  managed?: boolean;
}

const entries: Entry[] = [
  { screen: "sessions", name: "Sessions", icon: <SessionsIcon />, count: (o) => o.sessions_live, said: "live", tone: "accent", managed: true },
  { screen: "approvals", name: "Approvals", icon: <ApprovalsIcon />, count: (o) => o.approvals_waiting, said: "waiting for you", tone: "warn" },
  { screen: "review", name: "Review", icon: <ReviewIcon />, count: (o) => o.stages_open, said: "stages open", tone: "violet" },
  { screen: "accesses", name: "Accesses", icon: <AccessIcon />, count: (o) => o.blocked_today, said: "blocked today", tone: "bad", managed: true },
  { screen: "boundary", name: "Boundary", icon: <BoundaryIcon /> },
  { screen: "workers", name: "Workers", icon: <WorkersIcon /> },
  { screen: "loop", name: "Loop", icon: <LoopIcon /> },
];

const entriesOf = (project: Project): Entry[] => entries.filter((entry) => project.kind !== "managed" || entry.managed);

export const offers = (project: Project, screen: Screen): boolean => entriesOf(project).some((entry) => entry.screen === screen);

export function Side({ project, current }: { project: Project; current: Screen }) {
  const overview = useResource(project.id, () => api.overview(project.id));
  useLive(["sessions", "approvals", "stages", "accesses"], overview.reload);
  return (
    <nav class="side" aria-label="Screens">
      {entriesOf(project).map((entry) => {
        const count = overview.data && entry.count ? entry.count(overview.data) : 0;
        return (
          <a key={entry.screen} href={link(project.id, entry.screen)} aria-current={entry.screen === current ? "page" : undefined}>
            {entry.icon}
            {entry.name}
            {count > 0 && (
              <span class={`badge count ${entry.tone ?? ""}`} title={`${count} ${entry.said ?? ""}`}>
                {count > 999 ? "999+" : count}
                <span class="hidden-text"> {entry.said}</span>
              </span>
            )}
          </a>
        );
      })}
    </nav>
  );
}
