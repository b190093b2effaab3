import { describe, expect, test } from "bun:test";
import { keptAnswers } from "../../../src/storage/ledger/idempotency-store.ts";
import { AT, unique } from "../new-records.ts";
import type { StoreBench } from "../store-bench.ts";

const HOUR_MS = 3_600_000;

export function keptAnswerSuite(bench: StoreBench): void {
  describe("kept answers", () => {
    const newKey = () => ({ scope: unique("key"), keyHash: unique("hash") });
    const newCall = () => ({ ...newKey(), owner: "one", bodyHash: "b1", expiresAt: AT + 60 });
    const store = () => keptAnswers(bench.backend.db);

    test("a call that is begun is running to everybody else, until it is done", async () => {
      const call = newCall();
      expect(await store().begin(call, AT)).toBeNull();
      expect(await store().begin({ ...call, bodyHash: "b2" }, AT)).toMatchObject({ state: "running", bodyHash: "b1" });
      const answer = { status: 200, headers: '{"a":"ü"}', body: "aGVsbG8=", expiresAt: AT + 1_000 };
      await store().finish(call, answer);
      expect(await store().begin(call, AT)).toEqual({ ...call, ...answer, state: "done" });
    });

    test("of many that begin at once, one may", async () => {
      const call = newCall();
      const begun = await Promise.all(Array.from({ length: 20 }, () => store().begin(call, AT)));
      expect(begun.filter((known) => known === null)).toHaveLength(1);
    });

    test("one whose time is over may be begun again, and leaves nothing of what it was", async () => {
      const call = newCall();
      await store().begin(call, AT);
      await store().renew(call, AT + 100);
      expect(await store().begin(call, AT + 99)).toMatchObject({ state: "running" });
      await store().finish(call, { status: 200, headers: "{}", body: "eA==", expiresAt: AT + 200 });
      expect(await store().begin({ ...call, bodyHash: "b2", expiresAt: AT + 300 }, AT + 200)).toBeNull();
      expect(await store().begin(call, AT + 201)).toMatchObject({ state: "running", bodyHash: "b2", body: null });
    });

    test("one that was made again in the meantime has no say in it any more", async () => {
      const late = newCall();
      const call = { ...late, owner: "two", expiresAt: AT + 500 };
      await store().begin(late, AT);
      expect(await store().begin(call, AT + 60)).toBeNull();
      const answer = { status: 200, headers: "{}", body: "eA==", expiresAt: AT + 1_000 };
      await store().finish(late, { ...answer, body: "eQ==" });
      await store().forget(late);
      await store().renew(late, AT);
      expect(await store().begin(late, AT + 70)).toMatchObject({ state: "running", expiresAt: AT + 500 });
      await store().finish(call, answer);
      for (const owner of ["one", "two"]) {
        await store().finish({ ...call, owner }, { ...answer, body: "eQ==" });
        await store().forget({ ...call, owner });
        expect(await store().begin(call, AT + 70)).toMatchObject({ state: "done", body: "eA==" });
      }
    });

    test("one that is forgotten, or swept, may be begun again; the same name of another key is another call", async () => {
      const call = newCall();
      await store().begin(call, AT);
      expect(await store().begin({ ...call, scope: unique("key") }, AT)).toBeNull();
      await store().forget(call);
      expect(await store().begin(call, AT)).toBeNull();
      await store().removeExpired(AT + 59);
      expect(await store().begin(call, AT)).toMatchObject({ state: "running" });
      await store().finish(call, { status: 200, headers: "{}", body: "eA==", expiresAt: AT + 60 });
      await store().removeExpired(AT + 60);
      expect(await store().begin(call, AT)).toBeNull();
    });

    test("one that runs is there an hour longer than its lease, for whoever could not renew it", async () => {
      const call = newCall();
      await store().begin(call, AT);
      await store().removeExpired(AT + 60 + HOUR_MS - 1);
      await store().renew(call, AT + HOUR_MS + 60);
      expect(await store().begin(call, AT + HOUR_MS)).toMatchObject({ state: "running" });
      await store().removeExpired(AT + 3 * HOUR_MS);
      expect(await store().begin(call, AT)).toBeNull();
    });

    test("one that runs is nobody else's while its maker may live, and one that is done is", async () => {
      const call = newCall();
      await store().begin(call, AT);
      expect(await store().begin(call, AT + 60, true)).toMatchObject({ state: "running" });
      // As one that was renewed before the clock was set back by an hour.
      expect(await store().begin(call, AT - HOUR_MS, true)).toMatchObject({ state: "running" });
      expect(await store().begin({ ...call, expiresAt: AT - HOUR_MS + 60 }, AT - HOUR_MS)).toBeNull();
      await store().finish(call, { status: 200, headers: "{}", body: "eA==", expiresAt: AT + 60 });
      expect(await store().begin(call, AT - 24 * HOUR_MS)).toMatchObject({ state: "done" });
      expect(await store().begin(call, AT + 60, true)).toBeNull();
    });
  });
}
