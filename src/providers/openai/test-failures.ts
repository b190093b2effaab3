import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { UpstreamFailure } from "../dialect.ts";

interface Recorded {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** JSON, or text that is none. */
  readonly body: unknown;
}

/** The recorded failures of a folder `fixtures/failures`, by name. */
export function loadFailures(folder: string): ReadonlyMap<string, UpstreamFailure> {
  const failures = new Map<string, UpstreamFailure>();
  for (const file of readdirSync(join(folder, "fixtures/failures"))) {
    const recorded: Recorded = JSON.parse(readFileSync(join(folder, "fixtures/failures", file), "utf8"));
    const { status, headers, body } = recorded;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    failures.set(file.replace(".json", ""), { status, headers: new Headers(headers), body: text });
  }
  return failures;
}
