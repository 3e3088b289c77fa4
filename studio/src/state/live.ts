// What happens in the project, as it happens. Screens say which kinds concern them and load again.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { me } from "../api/calls";
import { address } from "../api/client";
import { openStream, type StreamState } from "../api/stream";

export type LiveKind = "sessions" | "approvals" | "stages" | "accesses" | "loop" | "manifest";

export const connection = signal<StreamState>("connecting");

type Listener = (kinds: readonly string[]) => void;
const listeners = new Set<Listener>();

// What the event's data name: {"what": ["sessions", …]}. The first event of a connection names all, so that nothing is missed.
export function kindsOf(data: unknown): string[] {
  const what = typeof data === "object" && data !== null && "what" in data ? data.what : [];
  return Array.isArray(what) ? what.filter((kind): kind is string => typeof kind === "string") : [];
}

export function watchProject(project: string): () => void {
  const stream = openStream(() => address("/stream", { project_id: project }), {
    kinds: ["changed"],
    onEvent: (_, data) => listeners.forEach((listener) => listener(kindsOf(data))),
    onState: (state) => {
      connection.value = state;
      // A stream does not say why it was refused; this does, where the page is shut out.
      if (state === "lost") me().catch(() => undefined);
    },
  });
  return () => stream.close();
}

// Many events in a row are one reload.
export function useLive(kinds: readonly LiveKind[], changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  const wanted = kinds.join();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listener: Listener = (happened) => {
      if (timer !== undefined || !happened.some((kind) => wanted.split(",").includes(kind))) return;
      timer = setTimeout(() => {
        timer = undefined;
        latest.current();
      }, 120);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      clearTimeout(timer);
    };
  }, [wanted]);
}
