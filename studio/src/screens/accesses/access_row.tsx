import type { Access } from "../../api/schema";
import { Ago } from "../../parts/time";
import { link, setQuery } from "../../state/route";

const verdicts: Record<Access["verdict"], { tone: string; word: string }> = {
  blocked: { tone: "bad", word: "blocked" },
  outside: { tone: "warn", word: "outside" },
  allowed: { tone: "good", word: "allowed" },
};

export function AccessRow({ project, access, asks }: { project: string; access: Access; asks: boolean }) {
  const { tone, word } = verdicts[access.verdict];
  return (
    <li class="access">
      <span class={`badge ${tone}`}>{word}</span>
      <span class="operation mono">{access.operation}</span>
      <span class="what">
        <span class="path">{access.path}</span>
        {access.count > 1 && <span class="muted small"> × {access.count}</span>}
        <span class="rule muted small">{access.rule}</span>
      </span>
      <span class="when muted small">
        <Ago time={access.time} /> · <a href={link(project, "sessions", access.session_id)}>session</a>
      </span>
      {asks && (
        <button type="button" class="button small" onClick={() => setQuery({ why: access.path, operation: access.operation })} aria-label={`Why? ${access.operation} ${access.path}`}>
          Why?
        </button>
      )}
    </li>
  );
}
