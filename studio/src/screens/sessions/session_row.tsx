import type { Session } from "../../api/schema";
import { Ago } from "../../parts/time";
import { plural, words } from "../../parts/words";
import { link } from "../../state/route";

export function StateBadge({ session }: { session: Session }) {
  if (session.needs_person) return <span class="badge warn live">needs you</span>;
  if (session.state !== "ended") return <span class="badge accent live">{session.state}</span>;
  if (session.exit_code === undefined) return <span class="badge">ended</span>;
  return session.exit_code === 0 ? <span class="badge good">done</span> : <span class="badge bad">exit {session.exit_code}</span>;
}

export const titleOf = (session: Session): string => session.title || words(session.command) || session.kind;

export function SessionRow({ project, session, current }: { project: string; session: Session; current: boolean }) {
  return (
    <li>
      <a class="session-row" href={link(project, "sessions", session.id)} aria-current={current ? "true" : undefined}>
        <span class="row tight">
          <strong class="clip">{titleOf(session)}</strong>
          <span class="spread" />
          <StateBadge session={session} />
        </span>
        <span class="row small muted">
          <span>{session.agent || session.kind}</span>
          <Ago time={session.ended ?? session.started} />
          {session.blocked > 0 && <span class="badge bad">{session.blocked} blocked</span>}
          {session.outside > 0 && <span class="badge warn">{session.outside} outside</span>}
          {session.stage_id && <span class="badge violet">stage {session.stage_id}</span>}
          {session.changes > 0 && <span>{plural(session.changes, "change")}</span>}
        </span>
      </a>
    </li>
  );
}
