import { newNamedId } from "../lib/ids.ts";

/** Ids of one kind sort by when they were made, which is the order of lists. */
export const newRecordId = (prefix: "asst" | "thread" | "msg" | "run" | "step" | "call"): string =>
  newNamedId(`${prefix}_`);
