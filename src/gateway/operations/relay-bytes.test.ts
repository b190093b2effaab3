import { expect, test } from "bun:test";
import { GatewayError } from "../../contract/errors.ts";
import { Deadlines } from "../../lib/deadlines.ts";
import type { Exchange } from "../attempts/upstream-request.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { relayBytes } from "./relay-bytes.ts";

/** An upstream's answer of which nothing was read yet; tells whether its connection is held, and whether it was let go of. */
function answered(body: ReadableStream<Uint8Array> | null) {
  const state = { nowMs: 0, held: 0 };
  const deadlines = new Deadlines(() => state.nowMs);
  const held = { keepOpen: () => void state.held++, release: () => void state.held-- };
  const deadline = deadlines.start(new AbortController().signal, 600_000, () => new Error("late"), held);
  const exchange: Exchange = { response: new Response(body), deadline, sentAtMs: 0 };
  const later = () => {
    state.nowMs = 20_000;
    deadlines.check();
    return state.held;
  };
  return { exchange, later };
}

test("bytes that are refused beside the call are let go of", async () => {
  const left: unknown[] = [];
  const { exchange, later } = answered(new ReadableStream({ cancel: () => void left.push("left") }));
  const refusal = new GatewayError("content_policy", "no");
  const told: unknown[] = [];
  const accounting = {
    guard: { beside: () => Promise.reject(refusal) },
    refuse: async (thrown: unknown) => void told.push(thrown),
  };
  const thrown = await relayBytes(new UpstreamReader(exchange, 1_000), accounting as never).catch((reason) => reason);
  expect([thrown, told, left, exchange.deadline.signal.aborted]).toEqual([refusal, [refusal], ["left"], true]);
  expect(later()).toBe(0);
});

test("an answer without a stream is not waited for", () => {
  const { exchange, later } = answered(null);
  expect(() => new UpstreamReader(exchange, 1_000)).toThrow("The provider sent no stream.");
  expect(later()).toBe(0);
});
