// A task for an agent, or a command. In a stage, unless that is switched off.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { NewSession } from "../../api/schema";
import { Dialog } from "../../parts/dialog";
import { Failure, Hint } from "../../parts/notice";
import { useAction, useResource } from "../../state/resource";
import { go, link, setQuery } from "../../state/route";

type Way = "agent" | "command";

export function StartSession({ project }: { project: string }) {
  const agents = useResource(project, () => api.agents(project));
  const [way, setWay] = useState<Way>("agent");
  const [task, setTask] = useState("");
  const [agent, setAgent] = useState("");
  const [command, setCommand] = useState("");
  const [staged, setStaged] = useState(true);
  const all = agents.data?.agents ?? [];
  const chosen = all.find((one) => one.name === agent);
  const start = useAction(async () => {
    const what: NewSession =
      way === "command" ? { command: ["sh", "-c", command], title: command, stage: staged } : { task, stage: staged, ...(agent ? { agent } : {}) };
    const { id } = await api.sessions.start(project, what);
    go(link(project, "sessions", id));
  });
  const ready = way === "agent" ? task.trim() !== "" : command.trim() !== "";
  return (
    <Dialog title="New task" close={() => setQuery({ new: "" })}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void start.run();
        }}
      >
        <div class="segments" role="group" aria-label="Who works">
          <button type="button" class="button" aria-pressed={way === "agent"} onClick={() => setWay("agent")}>
            An agent
          </button>
          <button type="button" class="button" aria-pressed={way === "command"} onClick={() => setWay("command")}>
            A command
          </button>
        </div>
        {way === "agent" ? (
          <>
            <label class="field">
              <span>Task</span>
              <textarea class="input" rows={4} value={task} onInput={(event) => setTask(event.currentTarget.value)} placeholder="Add a test for the empty cart" />
            </label>
            <label class="field">
              <span>Agent</span>
              <select class="input" value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
                <option value="">the project’s own</option>
                {all.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name}
                    {one.installed ? "" : " (not installed)"}
                  </option>
                ))}
              </select>
            </label>
            {chosen && !chosen.installed && <Hint text={chosen.needs} />}
            <Failure error={agents.error} retry={agents.reload} />
          </>
        ) : (
          <label class="field">
            <span>Command</span>
            <textarea class="input mono" rows={3} value={command} onInput={(event) => setCommand(event.currentTarget.value)} placeholder="make test" spellcheck={false} />
            <small>Run by sh, inside the boundary.</small>
          </label>
        )}
        <label class="check">
          <input type="checkbox" checked={staged} onChange={(event) => setStaged(event.currentTarget.checked)} />
          <span>In a stage: your files change only when you apply</span>
        </label>
        <Failure error={start.error} />
        <div class="dialog-foot">
          <button type="submit" class="button primary" disabled={start.busy || !ready}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
