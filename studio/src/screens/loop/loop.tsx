// The stories of a prd.json as a board, while pale loop works through them and afterwards.
import * as api from "../../api/calls";
import type { Story } from "../../api/schema";
import { LoopIcon } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import { plural } from "../../parts/words";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useResource } from "../../state/resource";
import { link } from "../../state/route";
import "./loop.css";

interface Column {
  name: string;
  tone: string;
  states: Story["state"][];
}

const columns: Column[] = [
  { name: "Waiting", tone: "", states: ["waiting", "ready"] },
  { name: "Running", tone: "accent", states: ["running"] },
  { name: "Failed or blocked", tone: "bad", states: ["failed", "blocked"] },
  { name: "Passed", tone: "good", states: ["passed"] },
];

function StoryCard({ project, story, tone }: { project: string; story: Story; tone: string }) {
  return (
    <li class="card story">
      <div class="row">
        <span class="mono small muted">{story.id}</span>
        <span class="spread" />
        <span class={`badge ${tone} ${story.state === "running" ? "live" : ""}`}>{story.state}</span>
      </div>
      <h3>{story.title}</h3>
      {story.dependencies.length > 0 && <p class="small muted">after {story.dependencies.join(", ")}</p>}
      {story.notes && <p class="small notes">{story.notes}</p>}
      <p class="row small muted">
        {story.attempts > 0 && <span>{plural(story.attempts, "attempt")}</span>}
        {story.session_id && <a href={link(project, "sessions", story.session_id)}>output</a>}
        {story.stage_id && <a href={link(project, "review", story.stage_id)}>stage {story.stage_id}</a>}
      </p>
    </li>
  );
}

export function LoopScreen({ project }: ScreenProperties) {
  const loop = useResource(project.id, () => api.loop(project.id));
  useLive(["loop", "sessions"], loop.reload);
  const stories = loop.data?.stories ?? [];
  const passed = stories.filter((story) => story.state === "passed").length;
  return (
    <div class="page loop">
      <div class="page-head">
        <h1>Loop</h1>
        {loop.data?.running && <span class="badge accent live">running</span>}
        {stories.length > 0 && (
          <>
            <progress value={passed} max={stories.length} aria-label="Stories that pass" />
            <span class="muted">
              {passed} of {plural(stories.length, "story passes", "stories pass")}
            </span>
          </>
        )}
        {loop.data?.prd && <p class="lead path">{loop.data.prd}</p>}
      </div>
      <Failure error={loop.error} retry={loop.reload} />
      {loop.data?.problem && <p class="notice warn">{loop.data.problem}</p>}
      {!loop.data && !loop.error && <Waiting what="stories" />}
      {loop.data && stories.length === 0 && !loop.data.problem && (
        <Empty icon={<LoopIcon />} title="No stories yet">
          <p>
            Write a <code>prd.json</code> at the project’s root and run <code>pale loop</code>: its stories move over this board as they are worked through.
          </p>
        </Empty>
      )}
      {stories.length > 0 && (
        <div class="board">
          {columns.map((column) => {
            const mine = stories.filter((story) => column.states.includes(story.state)).sort((a, b) => a.priority - b.priority);
            return (
              <section key={column.name} aria-label={column.name}>
                <h2>
                  {column.name} <span class="muted">{mine.length}</span>
                </h2>
                <ul>
                  {mine.map((story) => (
                    <StoryCard key={story.id} project={project.id} story={story} tone={column.tone} />
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      )}
    </div>
  );
}
