// What was called, each below its caller, with what it got and what the kernel kept.
import type { WorkerCall } from "../../api/schema";
import { Receipt } from "../../parts/receipt";
import { Ago } from "../../parts/time";
import { link } from "../../state/route";

function CallState({ call }: { call: WorkerCall }) {
  if (call.ended === undefined) return <span class="badge accent live">running</span>;
  if (call.exit_code !== undefined) return <span class={`badge ${call.exit_code === 0 ? "good" : "bad"}`}>exit {call.exit_code}</span>;
  return <span class="badge bad">{call.refused.length > 0 ? "refused" : "ended"}</span>;
}

function Call({ project, call, calls }: { project: string; call: WorkerCall; calls: readonly WorkerCall[] }) {
  const below = calls.filter((other) => other.parent === call.id);
  return (
    <li>
      <div class="worker">
        <div class="row">
          <strong>{call.worker}</strong>
          {call.got.map((zone) => (
            <span key={zone} class="badge info">
              {zone}
            </span>
          ))}
          <span class="spread" />
          <CallState call={call} />
          <span class="small muted">
            <Ago time={call.started} />
          </span>
          {call.session_id && (
            <a class="small" href={link(project, "sessions", call.session_id)} aria-label={`Session of ${call.worker}`}>
              session
            </a>
          )}
        </div>
        {call.refused.map((refusal, index) => (
          <p key={index} class="small reason">
            {refusal.worker} was refused: {refusal.code}: {refusal.message}
          </p>
        ))}
        <Receipt receipt={call.receipt} />
      </div>
      {below.length > 0 && (
        <ul>
          {below.map((other) => (
            <Call key={other.id} project={project} call={other} calls={calls} />
          ))}
        </ul>
      )}
    </li>
  );
}

export function Calls({ project, calls }: { project: string; calls: readonly WorkerCall[] }) {
  const known = new Set(calls.map((call) => call.id));
  return (
    <section class="stack">
      <h2>Calls</h2>
      <ul class="worker-tree card">
        {calls
          .filter((call) => !call.parent || !known.has(call.parent))
          .map((call) => (
            <Call key={call.id} project={project} call={call} calls={calls} />
          ))}
      </ul>
    </section>
  );
}
