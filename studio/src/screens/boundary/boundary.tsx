// What is inside, as a picture: the map, the list, the rules, and what another manifest would make of them.
import * as api from "../../api/calls";
import type { Area } from "../../api/schema";
import { Failure, Waiting } from "../../parts/notice";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useResource } from "../../state/resource";
import { param, setQuery } from "../../state/route";
import { Changes } from "./changes";
import { Crumbs, Legend } from "./legend";
import { BoundaryMap } from "./map";
import { PathPanel } from "./path_panel";
import { Rules } from "./rules";
import { TreeView } from "./tree_view";
import { useTrying } from "./try_manifest";
import { WhatIfPanel } from "./what_if";
import "./boundary.css";
import "./map.css";

const depth = 3;

// A path of the access log is absolute; areas are named from the project's root.
function fromRoot(path: string, root: string): string {
  if (path === root) return "";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function areaAt(area: Area, path: string): Area | undefined {
  if (area.path === path) return area;
  return area.children.map((child) => areaAt(child, path)).find((found) => found !== undefined);
}

export function BoundaryScreen({ project }: ScreenProperties) {
  const at = param("at");
  const view = param("view") || "map";
  const editing = param("edit") === "1";
  const chosen = param("path") ? fromRoot(param("path") === "." ? "" : param("path"), project.root) : undefined;
  const tree = useResource(`${project.id}:${at}`, () => api.boundary.tree(project.id, at, depth));
  const rules = useResource(project.id, () => api.boundary.rules(project.id));
  const trying = useTrying(project.id, editing, at, depth);
  useLive(["manifest"], () => {
    tree.reload();
    rules.reload();
  });
  const shown = trying.tried?.tree ?? tree.data;
  const changes = new Changes(trying.tried?.changed ?? []);
  const choose = (path: string): void => setQuery({ path: path || ".", edit: "" });
  const enter = (path: string): void => setQuery({ at: path });
  const leave = (): void => setQuery({ at: at.slice(0, Math.max(0, at.lastIndexOf("/"))) });
  const area = shown && chosen !== undefined ? areaAt(shown, chosen) : undefined;
  return (
    <div class="boundary">
      <div class="boundary-head">
        <div class="row">
          <h1>Boundary</h1>
          <div class="segments" role="group" aria-label="Show as">
            {(["map", "list", "rules"] as const).map((name) => (
              <button key={name} type="button" class="button" aria-pressed={view === name} onClick={() => setQuery({ view: name === "map" ? "" : name })}>
                {name === "map" ? "Map" : name === "list" ? "List" : "Rules"}
              </button>
            ))}
          </div>
          <span class="spread" />
          <button type="button" class="button" aria-pressed={editing} onClick={() => setQuery({ edit: editing ? "" : "1", path: "" })}>
            What if…
          </button>
        </div>
        <div class="row">
          <Crumbs project={project} at={at} />
          <span class="spread" />
          <Legend />
        </div>
        <Failure error={tree.error} retry={tree.reload} />
        <Failure error={trying.error} />
      </div>
      <div class={`boundary-body ${editing || chosen !== undefined ? "with-panel" : ""}`}>
        <div class="boundary-main">
          {!shown && !tree.error && <Waiting what="the project" />}
          {shown && view === "map" && <BoundaryMap root={shown} chosen={chosen} changes={changes} choose={choose} enter={enter} leave={leave} />}
          {shown && view === "list" && (
            <div class="tree card">
              <TreeView key={at} project={project.id} area={shown} chosen={chosen} changes={changes} choose={choose} open />
            </div>
          )}
          {view === "rules" && rules.data && <Rules boundary={rules.data} />}
          <Failure error={view === "rules" ? rules.error : undefined} retry={rules.reload} />
        </div>
        {editing && trying.manifest && (
          <WhatIfPanel
            project={project.id}
            manifest={trying.manifest}
            text={trying.text}
            change={trying.change}
            tried={trying.tried}
            saved={() => {
              trying.again();
              tree.reload();
              rules.reload();
            }}
            close={() => setQuery({ edit: "" })}
          />
        )}
        {!editing && chosen !== undefined && (
          <PathPanel
            project={project.id}
            path={param("path")}
            name={chosen === "" ? project.name : chosen.slice(chosen.lastIndexOf("/") + 1)}
            enter={area?.directory && chosen !== at ? () => enter(chosen) : undefined}
            close={() => setQuery({ path: "" })}
          />
        )}
      </div>
    </div>
  );
}
