// Both sides changed the file: the original, the project's and the stage's beside each other, and below what shall stand there.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { ConflictTexts } from "../../api/schema";
import { Failure, Waiting } from "../../parts/notice";
import { useResource } from "../../state/resource";

function Version({ title, text }: { title: string; text: string | null }) {
  return (
    <section class="version" aria-label={title}>
      <h3>{title}</h3>
      {text === null ? <p class="muted">Not there, or not a text.</p> : <pre tabIndex={0}>{text}</pre>}
    </section>
  );
}

const hasMarkers = (text: string): boolean => /^(<{7}|>{7}|={7}$)/m.test(text);

interface Properties {
  project: string;
  stage: string;
  path: string;
  settled: string | undefined;
  settle: (text: string) => void;
}

export function ConflictView(properties: Properties) {
  const { project, stage, path } = properties;
  const texts = useResource(`${stage}:${path}`, () => api.stages.conflict(project, stage, path));
  if (texts.error) return <Failure error={texts.error} retry={texts.reload} />;
  if (!texts.data) return <Waiting what="the three versions" />;
  return <Settling {...properties} texts={texts.data} />;
}

function Settling({ texts, settled, settle }: Properties & { texts: ConflictTexts }) {
  const [text, setText] = useState(settled ?? texts.merged ?? texts.theirs ?? texts.ours ?? "");
  const markers = hasMarkers(text);
  const take = (name: string, version: string | null) =>
    version !== null && (
      <button type="button" class="button small" onClick={() => setText(version)}>
        {name}
      </button>
    );
  return (
    <div class="conflict">
      <p class="notice warn">
        <strong>The project’s file was changed, too, since the stage began.</strong>
        {texts.clean ? "The two changes do not touch each other: the result below has both." : "Say below what shall stand there."}
      </p>
      <div class="versions">
        <Version title="Original" text={texts.base} />
        <Version title="Project" text={texts.ours} />
        <Version title="Stage" text={texts.theirs} />
      </div>
      <div class="row">
        <h3>Result</h3>
        {take("Both, merged", texts.merged)}
        {take("The project’s", texts.ours)}
        {take("The stage’s", texts.theirs)}
        <span class="spread" />
        {settled !== undefined && settled === text && <span class="badge good">settled</span>}
        <button type="button" class="button small primary" disabled={markers} onClick={() => settle(text)}>
          Use this result
        </button>
      </div>
      {markers && <p class="small muted">The lines &lt;&lt;&lt;&lt;&lt;&lt;&lt;, ======= and &gt;&gt;&gt;&gt;&gt;&gt;&gt; mark where they disagree. Edit until none is left.</p>}
      <textarea class="input mono" rows={14} aria-label="Result" value={text} onInput={(event) => setText(event.currentTarget.value)} spellcheck={false} />
    </div>
  );
}
