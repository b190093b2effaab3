import { GatewayError } from "../contract/errors.ts";
import type { LogCursor, LogSlice } from "./store.ts";

type Order = LogSlice["order"];

/** Opaque to callers, so that what a page goes on by can change. With its order: in the other one it would name other calls. */
export const writeCursor = ({ at, id }: LogCursor, order: Order): string =>
  Buffer.from(`${order} ${at} ${id}`).toString("base64url");

/** Null for an empty one: the beginning. */
export function readCursor(text: string, order: Order): LogCursor | null {
  if (text === "") return null;
  const plain = Buffer.from(text, "base64url").toString("utf8");
  const [, written, at, id] = /^(newest|oldest) (\d{1,15}) ([\w-]{1,128})$/.exec(plain) ?? [];
  if (at === undefined || id === undefined) {
    throw badCursor("`cursor` is not one that a page gave as its `nextCursor`.");
  }
  if (written === order) return { at: Number(at), id };
  throw badCursor(
    `\`cursor\` is of a list that goes from the ${written} on; ask for the same \`sort\` and \`order\` on each of its pages.`,
  );
}

const badCursor = (message: string): GatewayError => new GatewayError("invalid_request", message, { param: "cursor" });
