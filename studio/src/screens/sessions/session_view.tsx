import * as api from "../../api/calls";
import type { SessionWhole } from "../../api/schema";
import { Failure, Waiting } from "../../parts/notice";
import { Ago } from "../../parts/time";
import { words } from "../../parts/words";
import { useLive } from "../../state/live";
import { useAction, useResource } from "../../state/resource";
import { link } from "../../state/route";
import { useSession } from "./follow";
import { InputLine } from "./input_line";
import { Receipt } from "../../parts/receipt";
import { StateBadge, titleOf } from "./session_row";
import { Terminal } from "./terminal/terminal";

function Facts({ project, session }: { project: string; session: SessionWhole }) {
  return (
    <p class="row small muted">
      <code class="clip">{words(session.command)}</code>
      <span>
        started <Ago time={session.started} />
      </span>
      {session.blocked > 0 && <a href={link(project, "accesses", "", { session: session.id, kind: "blocked" })}>{session.blocked} blocked</a>}
      {session.outside > 0 && <a href={link(project, "accesses", "", { session: session.id, kind: "outside" })}>{session.outside} outside</a>}
    </p>
  );
}

export function SessionView({ project, id }: { project: string; id: string }) {
  const session = useResource(id, () => api.sessions.show(project, id));
  useLive(["sessions", "accesses"], session.reload);
  const followed = useSession(project, id);
  const stop = useAction(async () => {
    await api.sessions.stop(project, id);
    session.reload();
  });
  const data = session.data;
  if (!data) return session.error ? <Failure error={session.error} retry={session.reload} /> : <Waiting what="the session" />;
  const live = data.state !== "ended";
  return (
    <div class="session-view">
      <div class="row">
        <a class="button quiet small back" href={link(project, "sessions")}>
          ← All
        </a>
        <h2 class="clip">{titleOf(data)}</h2>
        <StateBadge session={data} />
        {followed.state === "lost" && (
          <span class="badge warn" role="status">
            Reconnecting…
          </span>
        )}
        <span class="spread" />
        {data.stage_id && (
          <a class={`button small ${live ? "" : "primary"}`} href={link(project, "review", data.stage_id)}>
            Review stage {data.stage_id}
          </a>
        )}
        {live && data.can_stop && (
          <button type="button" class="button danger small" disabled={stop.busy} onClick={() => void stop.run()}>
            Stop
          </button>
        )}
      </div>
      <Facts project={project} session={data} />
      <Failure error={stop.error} />
      {data.needs_person && (
        <div class="notice warn">
          <strong>It waits for a person.</strong>
          <p>
            <a href={link(project, "approvals")}>Answer in Approvals</a>
          </p>
        </div>
      )}
      <Terminal lines={followed.lines} dropped={followed.dropped} />
      {live && data.can_input && <InputLine project={project} id={id} />}
      {data.summary && <p class="small muted summary">{data.summary}</p>}
      <Receipt receipt={data.receipt} />
    </div>
  );
}
