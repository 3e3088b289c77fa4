// Stays at the end while the reader is there, and where he is once he has scrolled up.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Line } from "./lines";
import "./terminal.css";

function Row({ line }: { line: Line }) {
  return (
    <div class={`line ${line.source}`}>
      {line.spans.map((span, index) => (
        <span key={index} class={span.classes}>
          {span.text}
        </span>
      ))}
    </div>
  );
}

export function Terminal({ lines, dropped }: { lines: readonly Line[]; dropped: number }) {
  const element = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const view = element.current;
    if (view && atEnd.current) view.scrollTop = view.scrollHeight;
  }, [lines]);
  return (
    <div
      ref={element}
      class="terminal"
      role="log"
      aria-label="Output"
      aria-live="off"
      tabIndex={0}
      onScroll={(event) => {
        const view = event.currentTarget;
        atEnd.current = view.scrollHeight - view.scrollTop - view.clientHeight < 40;
      }}
    >
      {dropped > 0 && <div class="line pale">The first {dropped.toLocaleString("en")} lines are no longer shown; pale session log has them.</div>}
      {lines.map((line) => (
        <Row key={line.number} line={line} />
      ))}
      {lines.length === 0 && <div class="line pale">Nothing yet.</div>}
    </div>
  );
}
