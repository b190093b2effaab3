import type { Kysely } from "kysely";
import type { Columns } from "./columns.ts";

/** One step forward. A step that has been released is never changed; there is no way back but a backup. */
export interface Migration {
  /** `NNNN-name`; steps run in the order of their names. */
  readonly name: string;
  /** What it was called when databases that are still in use were made. */
  readonly formerName?: string;
  /** It may run after steps of later numbers: databases that are still in use were made when those were there, and it was not. */
  readonly anyOrder?: true;
  up(db: Kysely<unknown>, columns: Columns): Promise<void>;
}
