// Light, dark, or as the system says.
import { effect, signal } from "@preact/signals";
import { recall, remember } from "./memory";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const theme = signal<Theme>(themes.find((known) => known === recall("theme")) ?? "system");

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
}

export function showTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    remember("theme", theme.value);
  });
}
