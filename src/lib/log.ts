import { writeSync } from "node:fs";
import pino from "pino";

export type Logger = pino.Logger;
export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Secrets by their look: whatever writes a line, none leaves. Keys of ours and of providers, bearer values, JSON web
 * tokens, passwords inside addresses, and the values of fields that are named like a secret.
 */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(sk|pk|rk|mk|inv|rst|rsm|vfy|whsec|AIza|gsk|xai)[-_][A-Za-z0-9_-]{6,}/g, "$1-[redacted]"],
  [/\b(Bearer|Basic)(\s+|%20)[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [redacted]"],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(\.[A-Za-z0-9_-]*)?/g, "[redacted]"],
  [/(\w:\/\/[^\s:/@"]*:)[^\s@"]+@/g, "$1[redacted]@"],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}\b/g, "$1[redacted]"],
  [
    /("(?:[\w-]*(?:api[_-]?key|password|secret|token|authorization|cookie|credential)s?)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    '$1"[redacted]"',
  ],
];

export function redact(line: string): string {
  let text = line;
  for (const [shape, replacement] of SECRET_SHAPES) text = text.replace(shape, replacement);
  return text;
}

/** Structured lines on standard output (or where `write` puts them); redaction is on the finished line. */
export function createLogger(level: LogLevel, write: (line: string) => void = writeOut): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redact },
    },
    { write },
  );
}

/** A line that cannot be written is lost: a full disk or a closed terminal must not take the service with it. */
function writeOut(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    // There is nowhere left to say so.
  }
}
