import { type Kysely, sql } from "kysely";
import type { Conversation, ConversationStore } from "../../assistants/conversation-store.ts";
import type { NamedItem } from "../../assistants/name-items.ts";
import { jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { cursorSlice } from "./cursor-slice.ts";
import { equalsOrNull, requireEnds } from "./owned.ts";

const COLUMNS = ["id", "teamId", "createdAt", "metadata"] as const;
const ITEM_COLUMNS = { conversation_id: "text", position: "integer", id: "text", item: "text" } as const;

export function conversationStore(db: Kysely<Tables>): ConversationStore {
  const itemRows = (id: string) =>
    db.selectFrom("conversationItems").select(["item", "position"]).where("conversationId", "=", id);
  const findItem = (id: string, itemId: string) => itemRows(id).where("id", "=", itemId).executeTakeFirst();
  return {
    async find({ teamId }, id) {
      const row = await db
        .selectFrom("conversations")
        .select(COLUMNS)
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return row ? { ...row, metadata: JSON.parse(row.metadata) as Conversation["metadata"] } : null;
    },
    insert: ({ metadata, ...row }, items) =>
      inTransaction(db, async (tx) => {
        const counts = { itemsMade: items.length, chars: charsOf(items) };
        await tx
          .insertInto("conversations")
          .values({ ...row, metadata: JSON.stringify(metadata), ...counts })
          .execute();
        await putItems(tx, row.id, 0, items);
      }),
    async update({ id, metadata }) {
      const { numUpdatedRows } = await db
        .updateTable("conversations")
        .set({ metadata: JSON.stringify(metadata) })
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove({ teamId }, id) {
      const { numDeletedRows } = await db
        .deleteFrom("conversations")
        .where("id", "=", id)
        .where("teamId", equalsOrNull(teamId), teamId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    append: (id, items, charsMax) =>
      inTransaction(db, async (tx) => {
        const chars = charsOf(items);
        const counted = await tx
          .updateTable("conversations")
          .set({ itemsMade: sql<number>`items_made + ${items.length}`, chars: sql<number>`chars + ${chars}` })
          .where("id", "=", id)
          .where("chars", "<=", charsMax - chars)
          .returning("itemsMade")
          .executeTakeFirst();
        if (!counted) return false;
        await putItems(tx, id, Number(counted.itemsMade) - items.length, items);
        return true;
      }),
    async said(id) {
      return (await itemRows(id).orderBy("position").execute()).map(decode);
    },
    async list(id, cursor) {
      const place = async (itemId: string) => (await findItem(id, itemId))?.position ?? null;
      return cursorSlice(
        itemRows(id),
        "position",
        { ...cursor, ...(await requireEnds(cursor, "item", place)) },
        decode,
      );
    },
    async findItem(id, itemId) {
      const row = await findItem(id, itemId);
      return row ? decode(row) : null;
    },
    removeItem: (id, itemId) =>
      inTransaction(db, async (tx) => {
        // First the conversation, as whoever adds to it or removes it has it: so nobody waits for the other.
        const count = (chars: number) =>
          tx
            .updateTable("conversations")
            .set({ chars: sql<number>`chars - ${chars}` })
            .where("id", "=", id)
            .execute();
        await count(0);
        const gone = await tx
          .deleteFrom("conversationItems")
          .where("conversationId", "=", id)
          .where("id", "=", itemId)
          .returning("item")
          .executeTakeFirst();
        if (gone) await count(gone.item.length);
        return gone !== undefined;
      }),
  };
}

async function putItems(tx: Kysely<Tables>, id: string, first: number, items: readonly NamedItem[]): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map((item, at) => ({
    conversation_id: id,
    position: first + at,
    id: item.id,
    item: JSON.stringify(item),
  }));
  await statement`
    insert into conversation_items (conversation_id, position, id, item)
    select conversation_id, position, id, item from ${jsonRows(ITEM_COLUMNS, rows)}`.execute(tx);
}

const charsOf = (items: readonly NamedItem[]): number =>
  items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);

const decode = ({ item }: { readonly item: string }): NamedItem => JSON.parse(item) as NamedItem;
