// An edit of the manifest that is tried before it is saved. Nothing is written while one tries.
import { useRef } from "preact/hooks";
import * as api from "../../api/calls";
import type { Manifest, WhatIf } from "../../api/schema";
import { Failure, Hint } from "../../parts/notice";
import { plural } from "../../parts/words";
import { useAction } from "../../state/resource";
import { states } from "./states";

interface Properties {
  project: string;
  manifest: Manifest;
  text: string;
  change: (text: string) => void;
  tried: WhatIf | undefined;
  saved: () => void;
  close: () => void;
}

function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split("\n").slice(0, Math.max(0, line - 1));
  return lines.reduce((sum, one) => sum + one.length + 1, 0) + Math.max(0, column - 1);
}

export function WhatIfPanel({ project, manifest, text, change, tried, saved, close }: Properties) {
  const editor = useRef<HTMLTextAreaElement>(null);
  const save = useAction(async () => {
    await api.manifest.save(project, text, manifest.digest);
    saved();
  });
  const problems = tried?.problems ?? [];
  const changed = tried?.changed ?? [];
  const edited = text !== manifest.text;
  const goTo = (line: number, column: number): void => {
    const at = offsetOf(text, line, column);
    editor.current?.focus();
    editor.current?.setSelectionRange(at, at);
  };
  return (
    <section class="panel card" aria-label="What if">
      <div class="row">
        <h2>What if</h2>
        <span class="spread" />
        <button type="button" class="button quiet small" onClick={close}>
          Close
        </button>
      </div>
      <label class="field">
        <span class="path">{manifest.path}</span>
        <textarea ref={editor} class="input mono editor" rows={16} value={text} onInput={(event) => change(event.currentTarget.value)} spellcheck={false} aria-invalid={problems.length > 0} />
      </label>
      <div role="status" class="stack">
        {problems.map((problem, index) => (
          <div key={index} class="notice">
            <strong>{problem.message}</strong>
            {problem.line > 0 && (
              <p>
                <button type="button" class="button small" onClick={() => goTo(problem.line, problem.column)}>
                  Line {problem.line}, column {problem.column}
                </button>
              </p>
            )}
            <Hint text={problem.hint} />
          </div>
        ))}
        {problems.length === 0 && edited && (
          <p class="small">
            {changed.length === 0 ? "No area would change." : `${plural(changed.length, "area")} would change:`}
          </p>
        )}
        {changed.length > 0 && (
          <ul class="changed-list">
            {changed.slice(0, 30).map((one) => (
              <li key={one.path} class="small">
                <span class="path">{one.path || "the project"}</span> {states[one.before].word} → <strong>{states[one.after].word}</strong>
              </li>
            ))}
            {changed.length > 30 && <li class="small muted">and {changed.length - 30} more</li>}
          </ul>
        )}
      </div>
      <Failure error={save.error} />
      <div class="dialog-foot">
        <button type="button" class="button" disabled={!edited} onClick={() => change(manifest.text)}>
          Start again
        </button>
        <button type="button" class="button primary" disabled={!edited || save.busy || problems.length > 0} onClick={() => void save.run()}>
          Save the manifest
        </button>
      </div>
    </section>
  );
}
