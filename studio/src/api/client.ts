// One way to the server. A failure is always an ApiError, which has the words and the hint to show.
import { signal } from "@preact/signals";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

// Set once the server no longer knows this page: it began again, or the time is over. Only a new link helps then.
export const shutOut = signal<ApiError | undefined>(undefined);

export type Query = Record<string, string | number | boolean | undefined>;

const base = "/api/v1";
let csrf = "";

export function useCsrf(token: string): void {
  csrf = token;
}

export function address(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `${base}${path}?${text}` : base + path;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function failure(status: number, body: unknown): ApiError {
  const error = field(body, "error");
  const details = field(error, "details");
  return new ApiError(
    status,
    text(field(error, "code"), `http_${status}`),
    text(field(error, "message"), `The server answered ${status} and said nothing more.`),
    text(field(error, "hint"), ""),
    typeof details === "object" && details !== null ? { ...details } : {},
  );
}

async function send<T>(method: string, url: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-Pale-CSRF"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(0, "unreachable", "Pale does not answer.", "pale studio");
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const error = failure(response.status, answer);
  if (response.status === 401) shutOut.value = error;
  throw error;
}

export const get = <T>(path: string, query?: Query): Promise<T> => send<T>("GET", address(path, query));
export const post = <T>(path: string, query: Query, body?: unknown): Promise<T> => send<T>("POST", address(path, query), body);
export const put = <T>(path: string, query: Query, body: unknown): Promise<T> => send<T>("PUT", address(path, query), body);
export const remove = <T>(path: string, query: Query): Promise<T> => send<T>("DELETE", address(path, query));
