import type { CursorQuery } from "../../contract/assistants/parts.ts";
import { requireFound } from "../../contract/require-found.ts";
import type { ResponseItem } from "../../contract/responses.ts";
import { cursorOf } from "../assistants/wire.ts";

/** A part of a list that is there as a whole. */
export function itemList(items: readonly ResponseItem[], query: CursorQuery) {
  const { order, limit, after, before } = cursorOf(query);
  const ordered = order === "asc" ? items : items.toReversed();
  const placeOf = (id: string): number => {
    const at = ordered.findIndex((item) => item.id === id);
    return requireFound(at < 0 ? null : at, "item", id);
  };
  const from = after === null ? 0 : placeOf(after) + 1;
  const to = before === null ? ordered.length : placeOf(before);
  const begin = before !== null && after === null ? Math.max(0, to - limit) : from;
  const data = ordered.slice(begin, Math.min(to, begin + limit));
  return {
    object: "list",
    data: data.map(toldItem),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before !== null && after === null ? begin > 0 : begin + limit < to,
  };
}

/** A message that was put in as one text is told in parts, as official clients read it, and as one that is whole. */
export function toldItem(item: ResponseItem): ResponseItem {
  const { type, role, content: text, status } = item;
  if (type !== "message") return item;
  const part = role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text };
  return { ...item, status: status ?? "completed", ...(typeof text === "string" ? { content: [part] } : {}) };
}
