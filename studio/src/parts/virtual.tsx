// A long list of which only what is seen exists. Heights are estimates: rows lie in normal flow, so a wrong one moves the scroll bar a
// little and nothing else.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Window {
  first: number;
  last: number;
  above: number;
  below: number;
}

// tops[i] is where row i begins; tops[count] is the whole height.
export function topsOf(count: number, height: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) tops[index + 1] = (tops[index] ?? 0) + height(index);
  return tops;
}

// The row at a height, by halving.
export function rowAt(tops: Float64Array, offset: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function windowOf(tops: Float64Array, scroll: number, height: number, spare: number): Window {
  const count = tops.length - 1;
  const first = Math.max(0, rowAt(tops, scroll) - spare);
  const last = Math.min(count, rowAt(tops, scroll + height) + 1 + spare);
  return { first, last, above: tops[first] ?? 0, below: (tops[count] ?? 0) - (tops[last] ?? 0) };
}

interface Properties {
  count: number;
  height: (index: number) => number;
  // Changes when heights do.
  version: string;
  // Row to be brought into view, and a number that changes with every wish.
  shown?: { index: number; turn: string } | undefined;
  render: (index: number) => ComponentChildren;
  class: string;
  label: string;
  role?: "list";
  focusable?: boolean;
}

export function Virtual({ count, height, version, shown, render, class: name, label, role, focusable }: Properties) {
  const element = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ scroll: 0, height: 800 });
  const tops = useMemo(() => topsOf(count, height), [count, version]);
  const look = (): void => {
    const view = element.current;
    if (view) setSeen((old) => (old.scroll === view.scrollTop && old.height === view.clientHeight ? old : { scroll: view.scrollTop, height: view.clientHeight }));
  };
  useEffect(() => {
    const watcher = new ResizeObserver(look);
    if (element.current) watcher.observe(element.current);
    return () => watcher.disconnect();
  }, []);
  useLayoutEffect(() => {
    const view = element.current;
    if (!view || !shown || shown.index < 0) return;
    const top = tops[shown.index] ?? 0;
    const bottom = tops[shown.index + 1] ?? top;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (bottom > view.scrollTop + view.clientHeight) view.scrollTop = Math.min(top, bottom - view.clientHeight + 40);
    look();
  }, [shown?.turn]);
  const { first, last, above, below } = windowOf(tops, seen.scroll, seen.height, 12);
  return (
    <div ref={element} class={name} aria-label={label} role={role ?? "region"} tabIndex={focusable ? 0 : undefined} onScroll={look}>
      <div class="virtual-space" role="presentation" style={{ height: `${above}px` }} />
      {Array.from({ length: last - first }, (_, offset) => render(first + offset))}
      <div class="virtual-space" role="presentation" style={{ height: `${below}px` }} />
    </div>
  );
}
