// What another manifest would change, by path.
import type { AreaChange } from "../../api/schema";

export class Changes {
  private readonly byPath: Map<string, AreaChange>;

  constructor(changes: readonly AreaChange[]) {
    this.byPath = new Map(changes.map((change) => [change.path, change]));
  }

  get size(): number {
    return this.byPath.size;
  }

  // The change that a path lies in.
  around(path: string): AreaChange | undefined {
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
      const change = this.byPath.get(at);
      if (change || at === "") return change;
    }
  }

  below(path: string): number {
    const prefix = path === "" ? "" : `${path}/`;
    return [...this.byPath.keys()].filter((one) => one !== path && one.startsWith(prefix)).length;
  }
}
