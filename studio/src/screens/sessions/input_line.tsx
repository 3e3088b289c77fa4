import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import { Failure } from "../../parts/notice";
import { useAction } from "../../state/resource";

export function InputLine({ project, id }: { project: string; id: string }) {
  const [text, setText] = useState("");
  const send = useAction(async (last: boolean) => {
    await api.sessions.input(project, id, last ? { data: "", last: true } : { data: `${text}\n` });
    setText("");
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run(false);
      }}
    >
      <div class="row tight">
        <input class="input mono" aria-label="Input for the session" placeholder="Type to it" value={text} onInput={(event) => setText(event.currentTarget.value)} autocomplete="off" spellcheck={false} />
        <button type="submit" class="button" disabled={send.busy}>
          Send
        </button>
        <button type="button" class="button quiet" disabled={send.busy} onClick={() => void send.run(true)} title="Nothing follows: the end of its input">
          End input
        </button>
      </div>
      <Failure error={send.error} />
    </form>
  );
}
