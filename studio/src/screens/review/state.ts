// Marks that outlive a reload. What is ticked and how conflicts are settled does not: these are said each time.
import { useState } from "preact/hooks";
import { recallObject, remember } from "../../state/memory";
import type { Mark, Marks } from "./marks";

function isMark(value: unknown): value is Mark {
  return typeof value === "object" && value !== null && "version" in value && typeof value.version === "string";
}

function recalled(name: string): Marks {
  return Object.fromEntries(Object.entries(recallObject(name)).filter((entry): entry is [string, Mark] => isMark(entry[1])));
}

export interface ReviewState {
  marks: Marks;
  change: (change: (marks: Marks) => Marks) => void;
  resolutions: Record<string, string>;
  resolve: (path: string, text: string) => void;
  forget: () => void;
}

export function useReview(project: string, stage: string): ReviewState {
  const name = `review.${project}.${stage}`;
  const [marks, setMarks] = useState<Marks>(() => recalled(name));
  const [resolutions, setResolutions] = useState<Record<string, string>>({});
  const change = (how: (marks: Marks) => Marks): void =>
    setMarks((old) => {
      const next = how(old);
      remember(name, JSON.stringify(next));
      return next;
    });
  return {
    marks,
    change,
    resolutions,
    resolve: (path, text) => setResolutions((old) => ({ ...old, [path]: text })),
    forget: () => {
      remember(name, "");
      setMarks({});
      setResolutions({});
    },
  };
}
