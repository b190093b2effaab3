import type { BatchDeps, BatchFiles, CallAnswer } from "../batches/batch-deps.ts";
import { BatchRunner } from "../batches/batch-desk.ts";
import { Batches } from "../batches/batches.ts";
import type { Batch } from "../batches/records.ts";
import { type ErrorKind, GatewayError } from "../contract/errors.ts";
import type { Files } from "../files/files.ts";
import { createInProcessClient } from "../http/in-process-client.ts";
import type { Overload } from "../http/overload.ts";
import { renderError, toGatewayError } from "../http/render-error.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import { readRetryAfter } from "../lib/retry-after.ts";
import { batchRoutes } from "../routes/batches/batch-routes.ts";
import type { Storage } from "../storage/open.ts";
import type { CallerOfKey } from "./compose-files.ts";

interface Parts {
  readonly storage: Pick<Storage, "batches">;
  readonly files: Files;
  /** What lines call. */
  readonly inference: readonly Route[];
  readonly callerOf: CallerOfKey;
  readonly overload: Pick<Overload, "check">;
  readonly lineBytesMax: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const PATH = "/v1/batches";

/** Nothing of the line's: it comes later. */
const PASSING: ReadonlySet<ErrorKind> = new Set(["rate_limit", "database", "unavailable"]);

/** Batches, and what carries them out: each line as a call of the key that asked for it. */
export function composeBatches(parts: Parts): { readonly desk: BatchRunner; readonly routes: Route[] } {
  const { storage, clock, log, lineBytesMax } = parts;
  const files = batchFiles(parts.files);
  const desk = new BatchRunner({ store: storage.batches, files, call: callLine(parts), lineBytesMax, clock, log });
  return { desk, routes: batchRoutes(new Batches({ store: storage.batches, files, desk, clock })) };
}

function callLine({ inference, callerOf, overload, clock, log }: Parts): BatchDeps["call"] {
  const call = createInProcessClient(inference, clock);
  return async (batch, body, signal): Promise<CallAnswer> => {
    const callId = newId();
    try {
      refuseUnwaited(body);
      overload.check();
      const { endpoint, source } = batch.asked;
      const caller = await callerOf(batch.keyId, source.address);
      const from = { address: source.address, shownPath: PATH, headers: headersOf(batch) };
      const response = await call({ path: endpoint, callId, caller, body, signal, ...from });
      return { kind: "answer", status: response.status, requestId: callId, body: await bodyOf(response) };
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (PASSING.has(error.kind)) {
        return { kind: "later", waitMs: readRetryAfter(error.headers["retry-after"], clock.nowMs()) };
      }
      const response = renderError("gateway", error, callId);
      if (response.status >= 500 && !signal.aborted) {
        log.error({ callId, batchId: batch.id, kind: error.kind, err: error.cause ?? error }, error.message);
      }
      return { kind: "answer", status: response.status, requestId: callId, body: await response.json() };
    }
  };
}

/** Nobody is there to hear a stream, and what goes on behind a call would be in no file. */
function refuseUnwaited(body: Readonly<Record<string, unknown>>): void {
  const param = ["stream", "background"].find((name) => body[name] === true);
  if (param) throw new GatewayError("invalid_request", `\`${param}\` is not possible in a batch.`, { param });
}

function headersOf({ asked: { source } }: Batch): Headers {
  const headers = new Headers();
  if (source.userAgent !== null) headers.set("user-agent", source.userAgent);
  if (source.tags !== null) headers.set("x-gw-tags", source.tags);
  for (const [name, value] of Object.entries(source.headers ?? {})) headers.set(name, value);
  return headers;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const batchFiles = (files: Files): BatchFiles => ({
  purposeOf: async (owner, id) => (await files.get(owner, id)).purpose,
  async read(owner, id) {
    try {
      return (await files.content(owner, id)).bytes;
    } catch (thrown) {
      const isGone = thrown instanceof GatewayError && (thrown.kind === "not_found" || thrown.kind === "internal");
      if (isGone) return null;
      throw thrown;
    }
  },
  write: (owner, file) => files.write(owner, { ...file, purpose: "batch_output" }),
});
