// What an area can be. Each has a colour, a pattern and a sign: no one has to tell colours apart.
import type { Area } from "../../api/schema";

export type AreaState = Area["state"];

export const states: Record<AreaState, { word: string; sign: string; meaning: string }> = {
  writable: { word: "writable", sign: "rw", meaning: "can be read and changed" },
  readonly: { word: "read-only", sign: "ro", meaning: "can be read" },
  protected: { word: "protected", sign: "pr", meaning: "can be read; stays as it is, whatever else is granted" },
  staged: { word: "staged", sign: "st", meaning: "changes go to a stage until you apply them" },
  listed: { word: "listed", sign: "ls", meaning: "its names can be seen, its contents cannot" },
  hidden: { word: "hidden", sign: "–", meaning: "cannot be opened" },
};

export const stateNames = Object.keys(states) as AreaState[];
