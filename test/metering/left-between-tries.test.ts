import { expect, test } from "bun:test";
import { flatPrice } from "../../src/catalog/price.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import type { GatewayDeps, InferenceCall } from "../../src/gateway/call/gateway.ts";
import { ResponseMetadata } from "../../src/gateway/call/response-metadata.ts";
import { CallAccounting } from "../../src/gateway/metering/call-accounting.ts";
import { NO_MEDIA } from "../../src/gateway/metering/prompt-texts.ts";
import type { Reservation } from "../../src/gateway/metering/reservation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newCall } from "../ledger/new-call.ts";
import { MemoryBooks } from "./memory-books.ts";

const FAILED = new GatewayError("upstream", "It does not answer.");

/** A call of a hundred tokens and a price for each request, in the books, with a caller who may leave. */
function bench() {
  const books = new MemoryBooks();
  const leaving = new AbortController();
  const creditSources = ["wallet:org"];
  const hold = books.desk.hold({ callId: "call", creditSources: [], amount: 5n, signal: leaving.signal });
  const deps = {
    clock: systemClock,
    books: { ...books, desk: books.desk, journal: books.journal, keepSheet: () => undefined },
    metrics: { countTokens: () => undefined, countImpossibleUsage: () => undefined },
    log: { error: (what: unknown) => expect(what).toBeUndefined() },
  };
  const call = {
    callId: "call",
    signal: leaving.signal,
    receivedAtMs: 0,
    caller: {},
    responseMeta: new ResponseMetadata(),
  };
  const booking = {
    target: { fields: {}, deployment: { id: "d", provider: "p", group: "g", info: {} } },
    asked: {
      operation: "chat",
      fields: {},
      measure: { texts: [], bytes: 400, counted: null, extraTokens: 0, media: NO_MEDIA },
    },
    limits: { provider: "p", upstreamModel: "g", maxInputTokens: null, maxOutputTokens: null },
    charge: { prices: { input: flatPrice(1_000_000_000n), request: flatPrice(9_000_000_000n) }, markupBp: 0n },
    record: newCall({ id: "call" }),
    admission: { hold, creditSources, outputMax: null },
  } as unknown as Reservation;
  const { deployment } = booking.target;
  const run = { deployment, firstByte: () => undefined, end: () => undefined } as never;
  const meter = new CallAccounting(deps as unknown as GatewayDeps, call as unknown as InferenceCall, booking, run, {
    end: () => null,
  });
  return { books, meter, booking, run, leave: () => leaving.abort() };
}

test("a caller who leaves while an upstream has the call pays for the prompt", async () => {
  const { books, meter, leave } = bench();
  meter.send();
  leave();
  meter.failAttempt(FAILED);
  await meter.fail(FAILED);
  expect(books.ended[0]?.record).toMatchObject({ status: "cancelled", promptTokens: 100, cost: 109_000n });
});

test("one who leaves between two tries pays nothing: whoever was asked has failed", async () => {
  const { books, meter, leave } = bench();
  meter.send();
  meter.failAttempt(FAILED);
  leave();
  await meter.fail(FAILED);
  expect(books.ended[0]?.record).toMatchObject({ status: "cancelled", promptTokens: 0, cost: 0n });
  expect(books.ended[0]?.record.attempts).toHaveLength(1);
  expect(books.closed).toEqual([null]);
});

test("one who leaves during the second try pays for the prompt once", async () => {
  const { books, meter, booking, run, leave } = bench();
  meter.send();
  meter.failAttempt(FAILED);
  meter.moveTo(booking, run);
  meter.send();
  leave();
  meter.failAttempt(FAILED);
  await meter.fail(FAILED);
  expect(books.ended).toHaveLength(1);
  expect(books.ended[0]?.record).toMatchObject({ status: "cancelled", cost: 109_000n });
});
