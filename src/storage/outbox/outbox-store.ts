import type { Kysely } from "kysely";
import type { OutboxWriter } from "../../accounts/store.ts";
import { newId } from "../../lib/ids.ts";
import type { OutboxMessage, OutboxStore } from "../../outbox/store.ts";
import { decodeObject, encodeJson } from "../accounts/json-columns.ts";
import type { Tables } from "../tables.ts";

/** The writing half, for transactions of whoever has something to tell. */
export function outboxWriter(db: Kysely<Tables>): OutboxWriter {
  return {
    async insert({ topic, payload, createdAt }) {
      await db
        .insertInto("outbox")
        .values({
          id: newId(),
          topic,
          payload: encodeJson(payload),
          attempts: 0,
          dueAt: createdAt,
          createdAt,
          sentAt: null,
          failedAt: null,
          lastError: null,
        })
        .execute();
    },
  };
}

const NOTHING = encodeJson({});

/** The reading half, for the worker. */
export function outboxStore(db: Kysely<Tables>): OutboxStore {
  /** Ours for as long as nobody has claimed it after us. */
  const finish = async ({ id, attempts }: OutboxMessage, changes: Partial<Tables["outbox"]>): Promise<void> => {
    await db
      .updateTable("outbox")
      .set(changes)
      .where("id", "=", id)
      .where("attempts", "=", attempts)
      .where("dueAt", "is not", null)
      .execute();
  };
  return {
    async claim(prefix, nowMs, leaseUntilMs, limit) {
      const due = await db
        .selectFrom("outbox")
        .select(["id", "topic", "payload", "attempts", "createdAt"])
        .where("dueAt", "<=", nowMs)
        .where("topic", "like", `${prefix}.%`)
        .orderBy("dueAt")
        .orderBy("id")
        .limit(limit)
        .execute();
      const claimed: OutboxMessage[] = [];
      for (const { id, topic, payload, attempts, createdAt } of due) {
        // Who counts the attempt has it: of two processes that saw the same row, one finds it changed.
        const taken = await db
          .updateTable("outbox")
          .set({ attempts: attempts + 1, dueAt: leaseUntilMs })
          .where("id", "=", id)
          .where("attempts", "=", attempts)
          .where("dueAt", "<=", nowMs)
          .returning("id")
          .execute();
        if (taken.length === 0) continue;
        claimed.push({ id, topic, payload: decodeObject(payload), attempts: attempts + 1, createdAt });
      }
      return claimed;
    },
    sent: (message, atMs) => finish(message, { dueAt: null, sentAt: atMs, payload: NOTHING, lastError: null }),
    postpone: (message, dueAtMs, error) => finish(message, { dueAt: dueAtMs, lastError: error }),
    failed: (message, atMs, error) =>
      finish(message, { dueAt: null, failedAt: atMs, payload: NOTHING, lastError: error }),
    async prune(beforeMs) {
      const gone = await db
        .deleteFrom("outbox")
        .where("dueAt", "is", null)
        .where("createdAt", "<", beforeMs)
        .returning("id")
        .execute();
      return gone.length;
    },
  };
}
