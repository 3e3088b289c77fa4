// What was tried beyond what is granted, as it happens; why, and what would change that.
import { useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { Access } from "../../api/schema";
import { AccessIcon } from "../../parts/icons";
import { Empty, Failure, Waiting } from "../../parts/notice";
import type { ScreenProperties } from "../../shell/shell";
import { useLive } from "../../state/live";
import { useAction, useResource } from "../../state/resource";
import { param, setQuery } from "../../state/route";
import { AccessRow } from "./access_row";
import { Filters, filterFromAddress } from "./filters";
import { Why } from "./why";
import "./accesses.css";

const pageSize = 100;

export function Accesses({ project }: ScreenProperties) {
  const filter = filterFromAddress();
  const key = JSON.stringify([project.id, filter]);
  const newest = useResource(key, () => api.accesses.list(project.id, { ...filter, limit: pageSize }));
  useLive(["accesses"], newest.reload);
  const [older, setOlder] = useState<{ key: string; accesses: Access[]; more: boolean }>({ key, accesses: [], more: false });
  const mine = older.key === key ? older : { key, accesses: [], more: newest.data?.more ?? false };
  const first = newest.data?.accesses ?? [];
  const seen = new Set(first.map((access) => access.seq));
  const shown = [...first, ...mine.accesses.filter((access) => !seen.has(access.seq))];
  const more = useAction(async () => {
    const last = shown.at(-1);
    if (!last) return;
    const answer = await api.accesses.list(project.id, { ...filter, before: last.seq, limit: pageSize });
    setOlder({ key, accesses: [...mine.accesses, ...answer.accesses], more: answer.more });
  });
  const asked = param("why");
  const filtered = Object.keys(filter).length > 0;
  return (
    <div class="page accesses">
      <div class="page-head">
        <h1>Access log</h1>
        <span class="badge accent live">live</span>
        <p class="lead">What programs inside tried beyond their grant. Each file and operation is told once a session.</p>
      </div>
      <Filters />
      <Failure error={newest.error} retry={newest.reload} />
      {!newest.data && !newest.error && <Waiting what="accesses" />}
      {newest.data && shown.length === 0 && (
        <Empty icon={<AccessIcon />} title={filtered ? "Nothing matches" : "Nothing was refused"}>
          {filtered ? (
            <button type="button" class="button" onClick={() => setQuery({ kind: "", path: "", session: "", since: "" })}>
              Clear the filters
            </button>
          ) : (
            <p>When something inside reaches for what it was not given, it appears here, with the rule that held.</p>
          )}
        </Empty>
      )}
      {shown.length > 0 && (
        <ul class="card access-list">
          {shown.map((access) => (
            <AccessRow key={access.seq} project={project.id} access={access} asks={project.kind !== "managed"} />
          ))}
        </ul>
      )}
      <Failure error={more.error} />
      {(older.key === key ? older.more : newest.data?.more) && (
        <button type="button" class="button" disabled={more.busy} onClick={() => void more.run()}>
          Show older ones
        </button>
      )}
      {asked && <Why project={project.id} path={asked} operation={param("operation")} />}
    </div>
  );
}
