// What went wrong, why, and what to do: as the command line says it.
import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/client";

export function Hint({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="hint">
      <span class="muted">What to do: </span>
      <code>{text}</code>
    </p>
  );
}

export function Failure({ error, retry, children }: { error: ApiError | undefined; retry?: (() => void) | undefined; children?: ComponentChildren }) {
  if (!error) return null;
  return (
    <div class="notice" role="alert">
      <div class="row">
        <strong>{error.message}</strong>
        {retry && (
          <button type="button" class="button small" onClick={retry}>
            Try again
          </button>
        )}
      </div>
      <Hint text={error.hint} />
      {children}
    </div>
  );
}

export function Empty({ icon, title, children }: { icon?: ComponentChildren; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export const Waiting = ({ what }: { what: string }) => (
  <p class="waiting" role="status">
    Loading {what}…
  </p>
);
