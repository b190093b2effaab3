import { GatewayError } from "../contract/errors.ts";
import type { LogCursor } from "./store.ts";

/** Opaque to callers, so that what a page goes on by can change. */
export const writeCursor = ({ at, id }: LogCursor): string => Buffer.from(`${at} ${id}`).toString("base64url");

/** Null for an empty one: the beginning. */
export function readCursor(text: string): LogCursor | null {
  if (text === "") return null;
  const [, at, id] = /^(\d{1,15}) ([\w-]{1,128})$/.exec(Buffer.from(text, "base64url").toString("utf8")) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new GatewayError("invalid_request", "`cursor` is not one that a page gave as its `nextCursor`.", {
    param: "cursor",
  });
}
