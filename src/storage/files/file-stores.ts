import type { Kysely } from "kysely";
import type { FileStores } from "../../files/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { entryStore } from "./entries.ts";
import { fileStore } from "./files.ts";
import { passageStore } from "./passages.ts";
import { vectorStoreStore } from "./vector-stores.ts";

export function fileStores(db: Kysely<Tables>): FileStores {
  return {
    files: fileStore(db),
    vectorStores: vectorStoreStore(db),
    entries: entryStore(db),
    passages: passageStore(db),
    transaction: (work) => inTransaction(db, (tx) => work(fileStores(tx))),
  };
}
