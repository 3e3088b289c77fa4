// What the browser keeps for the reader between visits: marks, never anything of the project's contents.

export function recall(name: string): string {
  try {
    return localStorage.getItem(`pale.${name}`) ?? "";
  } catch {
    return "";
  }
}

export function remember(name: string, value: string): void {
  try {
    if (value) localStorage.setItem(`pale.${name}`, value);
    else localStorage.removeItem(`pale.${name}`);
  } catch {
    // Storage can be full or forbidden; the page works without.
  }
}

export function recallObject(name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(recall(name) || "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
