import { Mark, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { TryAnswer } from "./guardrail.ts";

/** A text with what was found in it marked. Places that lie in each other are marked as one. */
export function MarkedText({ text, findings }: { text: string; findings: TryAnswer["findings"] }) {
  const places = findings
    .flatMap(({ start, end }) => (start === null || end === null ? [] : [{ start, end }]))
    .sort((a, b) => a.start - b.start);
  if (places.length === 0) return null;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of places) {
    if (end <= at) continue;
    const from = Math.max(start, at);
    parts.push(text.slice(at, from), <Mark key={from}>{text.slice(from, end)}</Mark>);
    at = end;
  }
  return (
    <Text className="wraps" style={{ whiteSpace: "pre-wrap" }}>
      {parts}
      {text.slice(at)}
    </Text>
  );
}
