// What waits for an answer: exactly what would be done, and yes or no. An answer belongs to the content that was shown.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { Approval } from "../../api/schema";
import { ApprovalsIcon } from "../../parts/icons";
import { useKeys } from "../../parts/keys";
import { Empty, Failure, Waiting } from "../../parts/notice";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useAction, useResource } from "../../state/resource";
import { route, go, link } from "../../state/route";
import { Question } from "./question";
import "./approvals.css";

function neighbour(all: readonly Approval[], current: Approval | undefined, by: number): Approval | undefined {
  const at = current ? all.indexOf(current) : -1;
  return all[Math.min(all.length - 1, Math.max(0, at + by))];
}

const moment = 700;

// What was typed or clicked before a question was shown is no answer to it: after each change of the list, answers wait a moment.
function useArmed(shown: string): boolean {
  const [armed, setArmed] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setArmed(shown), moment);
    return () => clearTimeout(timer);
  }, [shown]);
  return armed === shown;
}

export function Approvals({ project }: ScreenProperties) {
  const list = useResource(project.id, () => api.approvals.list(project.id));
  useLive(["approvals"], list.reload);
  const all = list.data?.approvals ?? [];
  const current = all.find((one) => one.id === route.value.item) ?? all[0];
  const armed = useArmed(all.map((one) => one.id + one.digest).join());
  const said = useRef("");
  const decide = useAction(async (question: Approval, decision: "approve" | "deny") => {
    const answer = await api.approvals.decide(project.id, question.id, { decision, digest: question.digest });
    said.current = `${answer.decision === "approved" ? "Approved" : "Denied"}: ${question.operation}`;
    list.reload();
  });
  const choose = (question: Approval | undefined): void => {
    if (question) go(link(project.id, "approvals", question.id), true);
  };
  useKeys({
    j: () => choose(neighbour(all, current, 1)),
    k: () => choose(neighbour(all, current, -1)),
    y: () => armed && current && void decide.run(current, "approve"),
    n: () => armed && current && void decide.run(current, "deny"),
  });
  return (
    <div class="page">
      <div class="page-head">
        <h1>Approvals</h1>
        <p class="lead">
          What programs inside ask leave for. Keys: <kbd>j</kbd> <kbd>k</kbd> choose, <kbd>y</kbd> approves, <kbd>n</kbd> denies.
        </p>
      </div>
      <Failure error={list.error} retry={list.reload} />
      <Failure error={decide.error} />
      <p class="hidden-text" role="status">
        {said.current}
      </p>
      {!list.data && !list.error && <Waiting what="questions" />}
      {list.data && all.length === 0 && (
        <Empty icon={<ApprovalsIcon />} title="Nobody asks for anything">
          <p>
            A zone with <code>approval = {"{ write = \"ask\" }"}</code> asks here before it is written to; whoever asks waits for your answer.
          </p>
        </Empty>
      )}
      <ul class="stack">
        {all.map((question) => (
          <Question
            key={question.id}
            question={question}
            current={question === current}
            busy={decide.busy || !armed}
            choose={() => choose(question)}
            decide={(decision) => void decide.run(question, decision)}
          />
        ))}
      </ul>
    </div>
  );
}
