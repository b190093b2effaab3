import { excerpt } from "./excerpt.ts";
import type { Fault } from "./fault.ts";

/** For people: `file:line:column  path  message`, then the line with a caret where its text can be had. */
export function renderFaults(faults: readonly Fault[], source?: (file: string) => string | null): string {
  const lines = new Map<string, readonly string[]>();
  const lineOf = (fault: Fault): string | null => {
    if (fault.line === null) return null;
    const known = lines.get(fault.file) ?? (source?.(fault.file) ?? "").split(/\r\n|\n|\r/);
    lines.set(fault.file, known);
    return known[fault.line - 1] ?? null;
  };
  return faults.map((fault) => renderFault(fault, lineOf(fault))).join("\n");
}

function renderFault(fault: Fault, line: string | null): string {
  const position = [fault.file, fault.line, fault.column].filter((part) => part !== null).join(":");
  const head = [position, fault.path, fault.message].filter((part) => part !== "").join("  ");
  if (line === null || line.trim() === "" || fault.column === null) return head;
  const [text, caret] = excerpt(line, fault.column);
  return `${head}\n    ${text}\n    ${caret}`;
}
