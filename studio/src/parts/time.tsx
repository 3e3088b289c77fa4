// Times as people say them; the exact one is in the tooltip.
import { signal } from "@preact/signals";

const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 15_000);

const steps: [number, string][] = [
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
];

export function ago(time: string, at: number): string {
  const seconds = Math.round((at - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  if (Math.abs(seconds) < 45) return "just now";
  let value = Math.abs(seconds) / 60;
  let unit = "minute";
  for (const [size, name] of steps) {
    unit = name;
    if (value < size) break;
    value /= size;
  }
  const whole = Math.max(1, Math.round(value));
  const words = `${whole} ${unit}${whole === 1 ? "" : "s"}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
}

export function Ago({ time }: { time: string | null | undefined }) {
  if (!time) return null;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {ago(time, now.value)}
    </time>
  );
}

export const clock = (time: string): string => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
};
