import { expect, test } from "bun:test";
import { deliverWebhook } from "./deliver-webhook.ts";
import { EndpointRests } from "./endpoint-rests.ts";
import type { BillingStores } from "./store.ts";

/** One endpoint, on a clock that the test moves, over books that are as slow as it says. */
function bench() {
  const state = { nowMs: 0, noteMs: 0, status: 200, postMs: 0 };
  const noted: { status: string; responseStatus: number | null; error: string | null }[] = [];
  const stores = {
    deliveries: {
      find: async (id: string) => ({ id, endpointId: "e", eventId: id, payload: "{}" }),
      noteAttempt: async (_: string, attempt: (typeof noted)[number]) => {
        state.nowMs += state.noteMs;
        noted.push(attempt);
      },
    },
    endpoints: {
      find: async () => ({ id: "e", url: "https://hooks.example.com", status: "active", secretVersion: 1 }),
    },
  } as unknown as BillingStores;
  const clock = { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs };
  const post = async () => {
    state.nowMs += state.postMs;
    return state.status;
  };
  const rests = new EndpointRests(clock.nowMs);
  const deliver = (id: string) =>
    deliverWebhook({ stores, clock, rests, rootSecret: "a-secret-for-tests-0123456789abcdef", post }, id).then(
      () => "delivered",
      (thrown: Error) => thrown.message,
    );
  return { state, noted, deliver };
}

test("a delivery that meets a resting endpoint says so in its record", async () => {
  const { state, noted, deliver } = bench();
  Object.assign(state, { status: 504, postMs: 6_000 });
  expect(await deliver("first")).toBe("The endpoint answered 504.");
  expect(await deliver("second")).toContain("left alone");
  expect(noted).toEqual([
    { status: "failed", responseStatus: 504, error: "The endpoint answered 504." },
    { status: "failed", responseStatus: null, error: expect.stringContaining("left alone") },
  ]);
});

test("books that are slow put no endpoint to rest", async () => {
  const { state, deliver } = bench();
  Object.assign(state, { status: 500, noteMs: 9_000 });
  for (const id of ["first", "second"]) expect(await deliver(id)).toBe("The endpoint answered 500.");
});
