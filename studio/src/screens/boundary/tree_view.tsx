// The same as a list that opens: for the keyboard, for screen readers, and for finding something by its name.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { Area } from "../../api/schema";
import { Failure } from "../../parts/notice";
import { bytes, plural } from "../../parts/words";
import { useResource } from "../../state/resource";
import type { Changes } from "./changes";
import { states } from "./states";

interface Properties {
  project: string;
  area: Area;
  chosen: string | undefined;
  changes: Changes;
  choose: (path: string) => void;
  open?: boolean;
}

function Deeper(properties: Properties) {
  const { project, area } = properties;
  const loaded = useResource(area.path, () => api.boundary.tree(project, area.path, 1));
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  if (!loaded.data) return <p class="small muted">Loading…</p>;
  return <Children {...properties} area={loaded.data} />;
}

function Children({ area, open: _, ...rest }: Properties) {
  if (area.children.length === 0) return <p class="small muted tree-more">{plural(area.files, "file")}, all the same</p>;
  return (
    <ul>
      {area.children.map((child) => (
        <TreeView key={child.path} {...rest} area={child} />
      ))}
      {area.more > 0 && <li class="small muted tree-more">and {plural(area.more, "more", "more")}</li>}
    </ul>
  );
}

export function TreeView(properties: Properties) {
  const { area, chosen, changes, choose } = properties;
  const [open, setOpen] = useState(properties.open ?? false);
  const change = changes.around(area.path);
  const List = properties.open ? "div" : "li";
  return (
    <List class="tree-node">
      <div class={`tree-row ${change ? "changed" : ""}`}>
        {area.directory ? (
          <button type="button" class="twist" aria-expanded={open} aria-label={`${open ? "Close" : "Open"} ${area.name || "the project"}`} onClick={() => setOpen(!open)}>
            {open ? "▾" : "▸"}
          </button>
        ) : (
          <span class="twist" />
        )}
        <button type="button" class="tree-name" aria-pressed={area.path === chosen} onClick={() => choose(area.path)}>
          <span class={`swatch ${area.state}`} aria-hidden="true" />
          <span class="clip">{area.name || "project"}</span>
          <span class="small muted">{states[area.state].word}</span>
          {change && <span class="badge accent">was {states[change.before].word}</span>}
          {area.mixed && !open && <span class="small muted">and others inside</span>}
        </button>
        <span class="small muted numbers">
          {plural(area.files, "file")}, {bytes(area.bytes)}
        </span>
      </div>
      {open && (area.children.length > 0 ? <Children {...properties} /> : <Deeper {...properties} />)}
    </List>
  );
}
