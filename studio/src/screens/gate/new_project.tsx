// A folder becomes a project, or what another tool knows of one is taken over.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import { Failure } from "../../parts/notice";
import { useAction } from "../../state/resource";
import { go, link } from "../../state/route";

type Way = "create" | "import";

const explained: Record<Way, string> = {
  create: "A folder on this machine. Pale writes .pale/project.toml there and registers it.",
  import: "A file of another tool: Sunwell’s project.toml or projects.json, golem-forge’s configuration. Pale writes its own manifest beside it.",
};

const asked: Record<Way, { label: string; such: string }> = {
  create: { label: "Folder", such: "/home/you/shop" },
  import: { label: "File", such: "/home/you/shop/.sunwell/project.toml" },
};

export function NewProject({ first }: { first: boolean }) {
  const [way, setWay] = useState<Way>("create");
  const [path, setPath] = useState("");
  const [name, setName] = useState("");
  const act = useAction(async () => {
    const project = way === "create" ? await api.projects.create(name.trim() ? { root: path.trim(), name: name.trim() } : { root: path.trim() }) : await api.projects.import(path.trim());
    go(link(project.id, "sessions"));
  });
  return (
    <details class="card new-project" open={first}>
      <summary>New project</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void act.run();
        }}
      >
        <div class="segments" role="group" aria-label="How">
          <button type="button" class="button" aria-pressed={way === "create"} onClick={() => setWay("create")}>
            Create
          </button>
          <button type="button" class="button" aria-pressed={way === "import"} onClick={() => setWay("import")}>
            Import
          </button>
        </div>
        <label class="field">
          <span>{asked[way].label}</span>
          <input class="input mono" value={path} onInput={(event) => setPath(event.currentTarget.value)} placeholder={asked[way].such} required autocomplete="off" spellcheck={false} />
          <small>{explained[way]}</small>
        </label>
        {way === "create" && (
          <label class="field">
            <span>Name, if not the folder’s</span>
            <input class="input" value={name} onInput={(event) => setName(event.currentTarget.value)} autocomplete="off" />
          </label>
        )}
        <Failure error={act.error} />
        <div class="row">
          <button type="submit" class="button primary" disabled={act.busy || !path.trim()}>
            {way === "create" ? "Create the project" : "Import the project"}
          </button>
        </div>
      </form>
    </details>
  );
}
