import type { Approval } from "../../api/schema";
import { Patch } from "../../parts/patch";
import { Ago } from "../../parts/time";

interface Properties {
  question: Approval;
  current: boolean;
  busy: boolean;
  choose: () => void;
  decide: (decision: "approve" | "deny") => void;
}

export function Question({ question, current, busy, choose, decide }: Properties) {
  return (
    <li class={`card question ${current ? "current" : ""}`} aria-current={current ? "true" : undefined} onClick={choose}>
      <div class="row">
        <h2 class="path">{question.operation}</h2>
        <span class="spread" />
        <span class="small muted">
          asked <Ago time={question.asked} />, ends <Ago time={question.expires} />
        </span>
      </div>
      <p class="small muted">
        {question.asker} · question {question.id}
      </p>
      {question.content_kind === "diff" ? (
        <Patch text={question.content} label={`What ${question.id} would change`} />
      ) : (
        question.content && (
          <pre class="patch plain-text" tabIndex={0} role="region" aria-label={`What ${question.id} would do`}>
            {question.content}
          </pre>
        )
      )}
      <div class="row">
        <span class="small muted digest clip" title="Your answer counts for this content only">
          sha256 {question.digest.slice(0, 16)}
        </span>
        <span class="spread" />
        <button type="button" class="button danger" disabled={busy} onClick={() => decide("deny")} aria-label={`Deny ${question.operation}`}>
          Deny
        </button>
        <button type="button" class="button primary" disabled={busy} onClick={() => decide("approve")} aria-label={`Approve ${question.operation}`}>
          Approve
        </button>
      </div>
    </li>
  );
}
