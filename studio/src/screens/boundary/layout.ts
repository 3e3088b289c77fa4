// Areas as rectangles in rectangles: a squarified treemap, sized by the number of files, large ones pressed together so that small
// ones can still be seen and hit.
import { hierarchy, treemap } from "d3-hierarchy";
import type { Area } from "../../api/schema";

export interface Tile {
  area: Area;
  // Files of a directory that have no area of their own.
  rest: number;
  depth: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

interface Node {
  area: Area;
  rest: number;
  size: number;
  children: Node[];
}

const pressed = (files: number): number => Math.max(1, files) ** 0.6;

function nodeOf(area: Area): Node {
  if (area.children.length === 0) return { area, rest: 0, size: pressed(area.files), children: [] };
  const children = area.children.map(nodeOf);
  const rest = area.files - area.children.reduce((sum, child) => sum + child.files, 0);
  if (rest > 0) children.push({ area, rest, size: pressed(rest), children: [] });
  return { area, rest: 0, size: 0, children };
}

const smallest = 4;

export function tilesOf(root: Area, width: number, height: number): Tile[] {
  const tree = hierarchy(nodeOf(root), (node) => node.children)
    .sum((node) => node.size)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const laid = treemap<Node>().size([width, height]).paddingInner(3).paddingOuter(4).paddingTop(24).round(true)(tree);
  return laid
    .descendants()
    .map((node) => ({
      area: node.data.area,
      rest: node.data.rest,
      depth: node.depth,
      left: node.x0,
      top: node.y0,
      width: node.x1 - node.x0,
      height: node.y1 - node.y0,
    }))
    .filter((tile) => tile.width >= smallest && tile.height >= smallest);
}

// From a tile to the nearest one in a direction, for the arrow keys.
export function beside(tiles: readonly Tile[], from: Tile, right: number, down: number): Tile | undefined {
  const middle = (tile: Tile): [number, number] => [tile.left + tile.width / 2, tile.top + Math.min(tile.height / 2, 12)];
  const [x, y] = middle(from);
  let best: Tile | undefined;
  let least = Infinity;
  for (const tile of tiles) {
    const [a, b] = middle(tile);
    const along = (a - x) * right + (b - y) * down;
    const across = Math.abs((a - x) * down) + Math.abs((b - y) * right);
    if (tile === from || along <= 0 || along + across * 2 >= least) continue;
    least = along + across * 2;
    best = tile;
  }
  return best;
}
