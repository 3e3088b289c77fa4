// What may be done with a path, and which rule decides: as pale explain says it, each rule once.
import type { Explanation, Origin } from "../api/schema";

type Operation = Explanation["operations"][number];

export const originText = (origin: Origin): string => (origin.file ? `${origin.file}${origin.line ? `:${origin.line}` : ""}` : origin.text);

export interface Decided {
  rule: string;
  origin: string;
  operations: Operation[];
}

export function byRule(operations: readonly Operation[]): Decided[] {
  const groups = new Map<string, Decided>();
  for (const one of operations) {
    const origin = originText(one.origin);
    const key = `${one.rule}\n${origin}`;
    const group = groups.get(key) ?? { rule: one.rule, origin, operations: [] };
    group.operations.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function Operations({ operations, marked }: { operations: readonly Operation[]; marked?: string }) {
  return (
    <ul class="decisions">
      {byRule(operations).map((group) => (
        <li key={`${group.rule}${group.origin}`}>
          <p>
            <span class="path">{group.rule}</span> <span class="muted small">{group.origin}</span>
          </p>
          <ul class="answers">
            {group.operations.map((one) => (
              <li key={one.operation} class={one.operation === marked ? "marked" : ""}>
                <span class="mono">{one.operation}</span>
                <span class={`badge ${one.allowed ? "good" : "bad"}`}>
                  {one.allowed ? "✓" : "✕"} {one.outcome || (one.allowed ? "allowed" : "refused")}
                </span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
