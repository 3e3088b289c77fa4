import type { Worker, Zone } from "../../api/schema";

function ZoneBadge({ zone }: { zone: Zone }) {
  if (!zone.lost) return <span class={`badge ${zone.mode === "rw" ? "good" : "info"}`}>{zone.name} {zone.mode}</span>;
  const wanted = zone.wanted ?? zone.mode;
  return (
    <span class="badge bad" title={zone.reason}>
      <s>
        {zone.name} {wanted}
      </s>
      {zone.wanted && zone.wanted !== zone.mode && <span>{zone.mode}</span>}
      <span class="hidden-text"> not given: {zone.reason}</span>
    </span>
  );
}

export function WorkerNode({ worker }: { worker: Worker }) {
  return (
    <li class={worker.refused ? "refused" : ""}>
      <div class="worker">
        <div class="row">
          <strong>{worker.name}</strong>
          {worker.zones.map((zone) => (
            <ZoneBadge key={zone.name} zone={zone} />
          ))}
          {worker.zones.length === 0 && <span class="small muted">nothing: a pure function</span>}
          {worker.refused && <span class="badge bad">call refused</span>}
        </div>
        {worker.description && <p class="small muted">{worker.description}</p>}
        {worker.refused && <p class="small reason">{worker.refused}</p>}
        {worker.problems.map((problem) => (
          <p key={problem} class="small reason">
            {problem}
          </p>
        ))}
      </div>
      {worker.children.length > 0 && (
        <ul>
          {worker.children.map((child, index) => (
            <WorkerNode key={`${child.name}:${index}`} worker={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
