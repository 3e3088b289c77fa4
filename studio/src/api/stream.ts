// Server-sent events that come back by themselves. The browser repeats a lost connection, with Last-Event-ID; an answer that is no
// stream (the server begins again, the cookie is gone) makes it give up, so then the repeating is done here.

export type StreamState = "connecting" | "open" | "lost";

export interface Streaming {
  close(): void;
}

export interface StreamEvents {
  kinds: readonly string[];
  onEvent(kind: string, data: unknown, id: string): void;
  onState(state: StreamState): void;
}

const longestPause = 10_000;

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

// `url` gets the id of the last event seen, or "".
export function openStream(url: (lastId: string) => string, events: StreamEvents): Streaming {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = "";
  let pause = 500;

  const receive = (event: MessageEvent<string>): void => {
    if (event.lastEventId) lastId = event.lastEventId;
    events.onEvent(event.type, parsed(event.data), event.lastEventId);
  };
  const connect = (): void => {
    source = new EventSource(url(lastId));
    source.onopen = () => {
      pause = 500;
      events.onState("open");
    };
    source.onmessage = receive;
    for (const kind of events.kinds) source.addEventListener(kind, receive);
    source.onerror = () => {
      events.onState("lost");
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, pause);
      pause = Math.min(pause * 2, longestPause);
    };
  };

  events.onState("connecting");
  connect();
  return {
    close() {
      clearTimeout(timer);
      source?.close();
    },
  };
}
