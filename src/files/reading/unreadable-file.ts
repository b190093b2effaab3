import type { StoreEntry } from "../records.ts";

/** A file that cannot be searched, and why. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
  constructor(
    readonly code: NonNullable<StoreEntry["lastError"]>["code"],
    message: string,
  ) {
    super(message);
  }
}
