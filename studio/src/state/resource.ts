// Something loaded from the server, for as long as a component shows it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client";

export interface Resource<T> {
  data: T | undefined;
  error: ApiError | undefined;
  reload: () => void;
  set: (data: T) => void;
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "page", error instanceof Error ? error.message : String(error), "");
}

// Another key is another thing: what was loaded under the old one is dropped. A reload keeps showing the old until the new is there.
export function useResource<T>(key: string, load: () => Promise<T>): Resource<T> {
  const [state, setState] = useState<{ key: string; data?: T | undefined; error?: ApiError | undefined }>({ key });
  const latest = useRef({ key, load, turn: 0 });
  latest.current.load = load;
  latest.current.key = key;

  const reload = useCallback(() => {
    const turn = ++latest.current.turn;
    const wanted = latest.current.key;
    const current = (): boolean => turn === latest.current.turn;
    latest.current.load().then(
      (data) => current() && setState({ key: wanted, data }),
      (error: unknown) =>
        current() && setState((old) => ({ key: wanted, data: old.key === wanted ? old.data : undefined, error: asApiError(error) })),
    );
  }, []);
  const set = useCallback((data: T) => {
    latest.current.turn++;
    setState({ key: latest.current.key, data });
  }, []);
  useEffect(() => {
    reload();
    return () => void latest.current.turn++;
  }, [key]);

  const mine = state.key === key;
  return { data: mine ? state.data : undefined, error: mine ? state.error : undefined, reload, set };
}

export interface Action<A extends unknown[]> {
  run: (...args: A) => Promise<void>;
  busy: boolean;
  error: ApiError | undefined;
  clear: () => void;
}

// Something done on the server, once at a time; its failure is kept for the reader.
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const running = useRef(false);
  const run = async (...args: A): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await act(...args);
    } catch (failure) {
      setError(asApiError(failure));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError(undefined) };
}
