import type { TimedText } from "./timing.ts";

export function srt(segments: readonly TimedText[]): string {
  return segments
    .map(({ text, start, end }, at) => `${at + 1}\n${clockTime(start, ",")} --> ${clockTime(end, ",")}\n${text}\n\n`)
    .join("");
}

/** A line of WebVTT must not hold its arrow, `&` or `<` as they stand. */
export function vtt(segments: readonly TimedText[]): string {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const cues = segments.map(
    ({ text, start, end }) => `${clockTime(start, ".")} --> ${clockTime(end, ".")}\n${escaped(text)}\n\n`,
  );
  return `WEBVTT\n\n${cues.join("")}`;
}

function clockTime(seconds: number, separator: string): string {
  const ms = Math.round(seconds * 1000);
  const pad = (value: number, digits: number) => `${Math.floor(value)}`.padStart(digits, "0");
  return `${pad(ms / 3_600_000, 2)}:${pad((ms / 60_000) % 60, 2)}:${pad((ms / 1000) % 60, 2)}${separator}${pad(ms % 1000, 3)}`;
}
