import { beforeEach, describe, expect, test } from "bun:test";
import { outboxStore } from "../../../src/storage/outbox/outbox-store.ts";
import { AT } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const LEASE = 1_000;

export function outboxSuite(bench: StoreBench): void {
  const rows = () => bench.backend.db.selectFrom("outbox").selectAll().orderBy("createdAt").execute();
  const insert = (topic: string, createdAt = AT) =>
    bench.stores.outbox.insert({ topic, payload: { for: "größe 🚀" }, createdAt });
  const claim = (nowMs: number, limit = 10) => outboxStore(bench.backend.db).claim("mail", nowMs, nowMs + LEASE, limit);

  describe("the outbox", () => {
    beforeEach(async () => {
      await bench.backend.db.deleteFrom("outbox").execute();
    });

    test("gives what is due, the longest waiting first, with what was put in", async () => {
      await insert("mail.second", AT + 1);
      await insert("mail.first", AT);
      await insert("mail.later", AT + 2);
      expect(await claim(AT - 1)).toEqual([]);
      const [first, second, ...more] = await claim(AT + 1);
      expect(more).toEqual([]);
      const payload = { for: "größe 🚀" };
      expect(first).toEqual({ id: expect.any(String), topic: "mail.first", payload, attempts: 1, createdAt: AT });
      expect(second?.topic).toBe("mail.second");
      expect((await claim(AT + 2, 1)).map(({ topic }) => topic)).toEqual(["mail.later"]);
    });

    test("gives nobody what another deliverer brings", async () => {
      await insert("webhook.deliver");
      await insert("mailbox.full");
      expect(await claim(AT)).toEqual([]);
      const theirs = await outboxStore(bench.backend.db).claim("webhook", AT, AT + LEASE, 10);
      expect(theirs.map(({ topic }) => topic)).toEqual(["webhook.deliver"]);
    });

    test("gives a message to one of all who ask at once", async () => {
      for (let index = 0; index < 20; index++) await insert(`mail.${index}`);
      const claimed = (await Promise.all(Array.from({ length: 6 }, () => claim(AT, 20)))).flat();
      expect(claimed).toHaveLength(20);
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(20);
    });

    test("gives a message again when the one who had it did not come back, and then it is no longer theirs", async () => {
      const store = outboxStore(bench.backend.db);
      await insert("mail.lost");
      const [lost] = await claim(AT);
      expect(await claim(AT + LEASE - 1)).toEqual([]);
      const [taken] = await claim(AT + LEASE);
      expect([lost?.attempts, taken?.attempts]).toEqual([1, 2]);
      if (!lost || !taken) throw new Error("nothing was claimed");
      await store.sent(lost, AT + LEASE + 1);
      await store.failed(lost, AT + LEASE + 1, "late");
      expect(await rows()).toMatchObject([{ sentAt: null, failedAt: null, lastError: null }]);
      await store.sent(taken, AT + LEASE + 2);
      await store.postpone(taken, AT, "too late");
      expect(await rows()).toMatchObject([{ sentAt: AT + LEASE + 2, dueAt: null, payload: "{}" }]);
      expect(await claim(AT * 2)).toEqual([]);
    });

    test("keeps a postponed message for its time, and of one that is over nothing but that it was", async () => {
      const store = outboxStore(bench.backend.db);
      await insert("mail.postponed");
      const [message] = await claim(AT);
      if (!message) throw new Error("nothing was claimed");
      await store.postpone(message, AT + 50, "no answer");
      expect(await rows()).toMatchObject([{ dueAt: AT + 50, attempts: 1, lastError: "no answer" }]);
      expect(await claim(AT + 49)).toEqual([]);
      const [again] = await claim(AT + 50);
      if (!again) throw new Error("nothing was claimed");
      expect(again.payload).toEqual({ for: "größe 🚀" });
      await store.failed(again, AT + 60, "given up");
      expect(await rows()).toMatchObject([{ failedAt: AT + 60, dueAt: null, lastError: "given up", payload: "{}" }]);
    });

    test("forgets what is over, never what waits", async () => {
      const store = outboxStore(bench.backend.db);
      await insert("mail.over", AT);
      const [over] = await claim(AT);
      if (!over) throw new Error("nothing was claimed");
      await store.sent(over, AT);
      await insert("mail.waits", AT);
      expect(await store.prune(AT)).toBe(0);
      expect(await store.prune(AT + 1)).toBe(1);
      expect((await rows()).map(({ topic }) => topic)).toEqual(["mail.waits"]);
    });

    test("has nothing of a transaction that failed", async () => {
      const work = bench.stores.transaction(async (tx) => {
        await tx.outbox.insert({ topic: "mail.never", payload: {}, createdAt: AT });
        throw new Error("changed my mind");
      });
      expect(await rejection(work)).toMatchObject({ message: "changed my mind" });
      expect(await rows()).toEqual([]);
    });
  });
}
