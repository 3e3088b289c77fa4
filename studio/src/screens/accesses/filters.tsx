// Filters are in the address, so that a view can be kept and sent.
import type { AccessFilter } from "../../api/calls";
import { param, setQuery } from "../../state/route";

const kinds = [
  ["", "All"],
  ["blocked", "Blocked"],
  ["outside", "Allowed outside"],
] as const;

const spans = [
  ["", "Any time"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last day"],
  ["168h", "Last week"],
] as const;

export function sinceFor(span: string, now: number): string {
  const match = /^(\d+)([mh])$/.exec(span);
  if (!match) return "";
  // By the minute, so that what is asked for stays the same from one drawing to the next.
  const minutes = Number(match[1]) * (match[2] === "h" ? 60 : 1);
  return new Date((Math.floor(now / 60_000) - minutes) * 60_000).toISOString();
}

export function filterFromAddress(): AccessFilter {
  const wanted: AccessFilter = {
    kind: param("kind"),
    path: param("path"),
    session: param("session"),
    since: sinceFor(param("since"), Date.now()),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== ""));
}

export function Filters() {
  return (
    <div class="row filters" role="search">
      <div class="segments" role="group" aria-label="Which">
        {kinds.map(([value, name]) => (
          <button key={value} type="button" class="button" aria-pressed={param("kind") === value} onClick={() => setQuery({ kind: value })}>
            {name}
          </button>
        ))}
      </div>
      <input class="input mono" type="search" aria-label="Path contains" placeholder="Path contains" value={param("path")} onInput={(event) => setQuery({ path: event.currentTarget.value }, true)} />
      <select class="input" aria-label="When" value={param("since")} onChange={(event) => setQuery({ since: event.currentTarget.value })}>
        {spans.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {param("session") && (
        <button type="button" class="button small" onClick={() => setQuery({ session: "" })} aria-label="Remove the filter by session">
          session {param("session").slice(0, 8)} ✕
        </button>
      )}
    </div>
  );
}
