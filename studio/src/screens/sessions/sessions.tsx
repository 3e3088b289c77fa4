// What runs, and what ran: those that need a person first.
import * as api from "../../api/calls";
import { SessionsIcon } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useResource } from "../../state/resource";
import { param, route, setQuery } from "../../state/route";
import { SessionRow } from "./session_row";
import { SessionView } from "./session_view";
import { StartSession } from "./start_session";
import "./sessions.css";

export function Sessions({ project }: ScreenProperties) {
  const list = useResource(project.id, () => api.sessions.list(project.id));
  useLive(["sessions"], list.reload);
  const chosen = route.value.item;
  const sessions = list.data?.sessions ?? [];
  const own = project.kind !== "managed";
  const start = (): void => setQuery({ new: "1" });
  return (
    <div class={`sessions ${chosen ? "has-choice" : ""}`}>
      <section class="session-list" aria-label="Sessions">
        <div class="list-head row">
          <h1>Sessions</h1>
          <span class="spread" />
          {own && (
            <button type="button" class="button primary small" onClick={start}>
              New task
            </button>
          )}
        </div>
        <Failure error={list.error} retry={list.reload} />
        {!list.data && !list.error && <Waiting what="sessions" />}
        <ul>
          {sessions.map((session) => (
            <SessionRow key={session.id} project={project.id} session={session} current={session.id === chosen} />
          ))}
        </ul>
        {list.data && sessions.length === 0 && !chosen && (
          <Empty icon={<SessionsIcon />} title="Nothing has run here yet">
            {own ? (
              <>
                <p>Give an agent a task, or run a command. It works in a stage: your files change only when you apply what it did.</p>
                <button type="button" class="button primary" onClick={start}>
                  Start a task
                </button>
              </>
            ) : (
              <p>Its tenants start sessions, with pale session or through pale serve.</p>
            )}
          </Empty>
        )}
      </section>
      <section class="session-pane" aria-label="The chosen session">
        {chosen ? (
          <SessionView key={chosen} project={project.id} id={chosen} />
        ) : (
          sessions.length > 0 && (
            <Empty icon={<SessionsIcon />} title="Choose a session">
              <p>Its output, what was blocked, and what it changed appear here.</p>
            </Empty>
          )
        )}
      </section>
      {own && param("new") && <StartSession project={project.id} />}
    </div>
  );
}
