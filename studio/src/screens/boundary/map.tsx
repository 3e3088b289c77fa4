// The project as nested areas. Arrow keys move between them, Enter chooses, + opens a directory, - leaves it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Area } from "../../api/schema";
import { plural } from "../../parts/words";
import type { Changes } from "./changes";
import { beside, tilesOf, type Tile } from "./layout";
import { states } from "./states";

interface Properties {
  root: Area;
  chosen: string | undefined;
  changes: Changes;
  choose: (path: string) => void;
  enter: (path: string) => void;
  leave: () => void;
}

const arrows: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function useSize() {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const view = element.current;
    if (!view) return;
    const measure = (): void => setSize({ width: view.clientWidth, height: view.clientHeight });
    const watcher = new ResizeObserver(measure);
    watcher.observe(view);
    measure();
    return () => watcher.disconnect();
  }, []);
  return { element, ...size };
}

function said(tile: Tile, before: string | undefined): string {
  const { area, rest } = tile;
  const what = rest > 0 ? `${plural(rest, "file")} in ${area.name || "project"} itself` : `${area.name || "project"}, ${plural(area.files, "file")}`;
  return `${what}, ${states[area.state].word}${before ? `, was ${before}` : ""}`;
}

export function BoundaryMap({ root, chosen, changes, choose, enter, leave }: Properties) {
  const { element, width, height } = useSize();
  const tiles = useMemo(() => (width > 0 ? tilesOf(root, width, height) : []), [root, width, height]);
  const current = Math.max(0, tiles.findIndex((tile) => tile.area.path === chosen && tile.rest === 0));
  const pressed = (event: KeyboardEvent, tile: Tile): void => {
    const arrow = arrows[event.key];
    const next = arrow ? beside(tiles, tile, ...arrow) : undefined;
    if (next) element.current?.querySelectorAll<HTMLElement>("button")[tiles.indexOf(next)]?.focus();
    else if (event.key === "+" && tile.area.directory) enter(tile.area.path);
    else if (event.key === "-") leave();
    if (arrow || event.key === "+" || event.key === "-") event.preventDefault();
  };
  return (
    <div ref={element} class="map" role="group" aria-label="Map of the project. Arrow keys move, Enter chooses, plus opens, minus leaves.">
      {tiles.map((tile, index) => {
        const { area, rest } = tile;
        const change = changes.around(area.path);
        const roomy = tile.width > 34 && tile.height > 17;
        return (
          <button
            key={`${area.path}:${rest > 0}`}
            type="button"
            class={`tile ${area.state} ${rest > 0 ? "rest" : ""} ${change ? "changed" : ""}`}
            style={{ left: `${tile.left}px`, top: `${tile.top}px`, width: `${tile.width}px`, height: `${tile.height}px` }}
            aria-label={said(tile, change && states[change.before].word)}
            aria-pressed={area.path === chosen && rest === 0}
            title={said(tile, change && states[change.before].word)}
            tabIndex={index === current ? 0 : -1}
            onClick={() => choose(area.path)}
            onDblClick={() => area.directory && enter(area.path)}
            onKeyDown={(event) => pressed(event, tile)}
          >
            {roomy && (
              <span class="tile-label" data-sign={rest === 0 ? states[area.state].sign : undefined}>
                <span class="clip">{rest > 0 ? plural(rest, "file") : area.name || "project"}</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
