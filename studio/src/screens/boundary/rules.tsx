// Every rule with its origin, and what is not about paths.
import type { Boundary } from "../../api/schema";
import { originText } from "../../parts/operations";
import { bytes, plural } from "../../parts/words";
import { setQuery } from "../../state/route";
import { states } from "./states";

function Facts({ boundary }: { boundary: Boundary }) {
  const { limits } = boundary;
  const facts: [string, string][] = [
    ["Network", boundary.network],
    ["Trust", boundary.trust],
    ["Backend", boundary.backend],
    ["Memory", limits.memory === null ? "no limit" : bytes(limits.memory)],
    ["Processes", limits.pids === null ? "no limit" : String(limits.pids)],
    ["Time", limits.seconds === null ? "no limit" : plural(limits.seconds, "second")],
  ];
  return (
    <dl class="facts card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="small muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Rules({ boundary }: { boundary: Boundary }) {
  return (
    <div class="stack rules">
      <Facts boundary={boundary} />
      {boundary.weaker.map((line) => (
        <p key={line} class="notice warn">
          {line}
        </p>
      ))}
      <div class="card rules-table" tabIndex={0} role="region" aria-label="Rules">
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Path</th>
              <th scope="col">Is</th>
              <th scope="col">Said by</th>
            </tr>
          </thead>
          <tbody>
            {boundary.rules.map((rule, index) => (
              <tr key={index}>
                <td>
                  <button type="button" class="link path" onClick={() => setQuery({ path: rule.path, edit: "" })}>
                    {rule.path}
                  </button>
                </td>
                <td>
                  <span class="row tight">
                    <span class={`swatch ${rule.state}`} aria-hidden="true" />
                    {states[rule.state].word}
                  </span>
                </td>
                <td class="small muted">{originText(rule.origin)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
