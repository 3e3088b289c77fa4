// Where the reader is, which is all in the address: /p/PROJECT/SCREEN/ITEM?filters. Reload and back therefore work.
import { computed, signal } from "@preact/signals";

export const screens = ["sessions", "review", "accesses", "boundary", "approvals", "workers", "loop"] as const;
export type Screen = (typeof screens)[number];

export interface Route {
  project: string | undefined;
  screen: Screen;
  item: string | undefined;
  query: URLSearchParams;
}

const here = signal(location.pathname + location.search);

function decoded(text: string | undefined): string | undefined {
  try {
    return text ? decodeURIComponent(text) : undefined;
  } catch {
    return undefined;
  }
}

export function parseRoute(address: string): Route {
  const url = new URL(address, "http://page.invalid");
  const [root, project, screen, item] = url.pathname.split("/").slice(1);
  return {
    project: root === "p" ? decoded(project) : undefined,
    screen: screens.find((known) => known === screen) ?? "sessions",
    item: decoded(item),
    query: url.searchParams,
  };
}

export const route = computed(() => parseRoute(here.value));

export function link(project: string, screen: Screen, item = "", query: Record<string, string> = {}): string {
  const parts = ["", "p", project, screen, ...(item ? [item] : [])].map(encodeURIComponent).join("/");
  const text = new URLSearchParams(query).toString();
  return text ? `${parts}?${text}` : parts;
}

export function go(address: string, replace = false): void {
  if (address === here.value) return;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  here.value = address;
}

// Sets or, with "", removes. Filters replace, so that back does not walk through every letter typed.
export function setQuery(changes: Record<string, string>, replace = false): void {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""), replace);
}

export const param = (name: string): string => route.value.query.get(name) ?? "";

function followed(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest("a") : null;
  if (!anchor || anchor.target || anchor.origin !== location.origin || !anchor.hasAttribute("href")) return;
  if (anchor.getAttribute("href")?.startsWith("#") || anchor.pathname.startsWith("/api/")) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

export function watchAddress(): void {
  addEventListener("popstate", () => (here.value = location.pathname + location.search));
  document.addEventListener("click", followed);
}
