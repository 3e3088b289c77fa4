// The manifest as it is and as it is being edited, and what the edit would change.
import { useEffect, useState } from "preact/hooks";
import * as api from "../../api/calls";
import type { ApiError } from "../../api/client";
import type { Manifest, WhatIf } from "../../api/schema";
import { asApiError, useResource } from "../../state/resource";

export interface Trying {
  manifest: Manifest | undefined;
  text: string;
  change: (text: string) => void;
  tried: WhatIf | undefined;
  error: ApiError | undefined;
  again: () => void;
}

const pause = 250;

export function useTrying(project: string, editing: boolean, at: string, depth: number): Trying {
  const manifest = useResource(project, () => api.manifest.read(project));
  const [text, setText] = useState<string>();
  const [tried, setTried] = useState<WhatIf>();
  const [error, setError] = useState<ApiError>();
  const edited = editing && text !== undefined && text !== manifest.data?.text;
  useEffect(() => {
    setError(undefined);
    if (!edited || text === undefined) return setTried(undefined);
    let over = false;
    const timer = setTimeout(() => {
      api.boundary.whatIf(project, { manifest: text, path: at, depth }).then(
        (answer) => !over && setTried(answer),
        (failure: unknown) => !over && setError(asApiError(failure)),
      );
    }, pause);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [project, edited, text, at, depth]);
  return {
    manifest: manifest.data,
    text: text ?? manifest.data?.text ?? "",
    change: setText,
    tried,
    error: error ?? manifest.error,
    again: () => {
      setText(undefined);
      setTried(undefined);
      manifest.reload();
    },
  };
}
