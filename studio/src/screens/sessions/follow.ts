// A session's events, from the first one on and as they come, drawn at most once a frame.
import { useEffect, useState } from "preact/hooks";
import { address } from "../../api/client";
import type { SessionEvent } from "../../api/schema";
import { openStream, type StreamState } from "../../api/stream";
import { words } from "../../parts/words";
import { Lines, type Line } from "./terminal/lines";

const kinds = ["started", "run", "output", "input", "denied", "changed", "connection", "exit", "ended", "unreadable", "over"] as const;

function bytesOf(base64: string): string {
  const raw = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(raw);
}

function ended(event: SessionEvent): string {
  const how = event.ending && event.ending !== "exited" ? event.ending : "";
  return `${how ? `${how}, ` : ""}exit code ${event.exit_code ?? "unknown"}`;
}

function size(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function connected(lines: Lines, event: SessionEvent): void {
  const host = event.host ?? "";
  switch (event.verdict) {
    case "blocked": return lines.note(`blocked: connect ${host}: ${event.reason ?? ""}`, "blocked");
    case "failed": return lines.note(`connect ${host} failed: ${event.reason ?? ""}`, "pale");
    case "allowed": return lines.note(`reached ${host}: ${size(event.sent ?? 0)} sent, ${size(event.received ?? 0)} received`, "pale");
    default:
  }
}

export function write(lines: Lines, event: SessionEvent): void {
  switch (event.kind) {
    case "run": return lines.note(`$ ${words(event.command ?? [])}`, "pale");
    case "output": return lines.write(event.text ?? bytesOf(event.base64 ?? ""), event.stream ?? "stdout");
    case "input": return lines.write(event.text ?? bytesOf(event.base64 ?? ""), "input");
    case "denied": {
      const verdict = event.verdict ?? "blocked";
      return lines.note(`${verdict === "blocked" ? "blocked" : "outside, allowed"}: ${event.operation ?? "access"} ${event.path ?? ""}`, verdict);
    }
    case "connection": return connected(lines, event);
    case "exit": return lines.note(ended(event), "pale");
    default:
  }
}

export interface Followed {
  lines: readonly Line[];
  dropped: number;
  state: StreamState | "over";
}

function isEvent(data: unknown): data is SessionEvent {
  return typeof data === "object" && data !== null && "seq" in data && "kind" in data;
}

export function useSession(project: string, id: string): Followed {
  const [followed, setFollowed] = useState<Followed>({ lines: [], dropped: 0, state: "connecting" });
  useEffect(() => {
    const lines = new Lines();
    let state: Followed["state"] = "connecting";
    let seen = 0;
    let frame = 0;
    const draw = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setFollowed({ lines: lines.all(), dropped: lines.dropped, state });
      });
    };
    const stream = openStream((after) => address(`/sessions/${encodeURIComponent(id)}/stream`, { project_id: project, after }), {
      kinds,
      onEvent: (kind, data) => {
        if (kind === "over") {
          state = "over";
          stream.close();
        } else if (isEvent(data) && data.seq > seen) {
          // A connection that was lost may bring the last ones again.
          seen = data.seq;
          write(lines, data);
        }
        draw();
      },
      onState: (now) => {
        state = now;
        draw();
      },
    });
    return () => {
      stream.close();
      cancelAnimationFrame(frame);
    };
  }, [project, id]);
  return followed;
}
