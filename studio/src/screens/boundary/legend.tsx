import type { Project } from "../../api/schema";
import { setQuery } from "../../state/route";
import { stateNames, states } from "./states";

export const Legend = () => (
  <ul class="legend" aria-label="What the patterns mean">
    {stateNames.map((name) => (
      <li key={name} title={states[name].meaning}>
        <span class={`swatch ${name}`} aria-hidden="true" />
        {states[name].word}
      </li>
    ))}
  </ul>
);

export function Crumbs({ project, at }: { project: Project; at: string }) {
  const parts = at ? at.split("/") : [];
  return (
    <nav class="crumbs" aria-label="Where the map is">
      <button type="button" class="button quiet small" aria-current={at === "" ? "location" : undefined} onClick={() => setQuery({ at: "" })}>
        {project.name}
      </button>
      {parts.map((part, index) => (
        <span key={index}>
          <span aria-hidden="true">/</span>
          <button
            type="button"
            class="button quiet small"
            aria-current={index === parts.length - 1 ? "location" : undefined}
            onClick={() => setQuery({ at: parts.slice(0, index + 1).join("/") })}
          >
            {part}
          </button>
        </span>
      ))}
    </nav>
  );
}
