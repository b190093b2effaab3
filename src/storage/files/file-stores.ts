import type { Kysely } from "kysely";
import type { FileStores } from "../../files/store.ts";
import { VectorTable } from "../postgres/vector-table.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { entryStore } from "./entries.ts";
import { fileStore } from "./files.ts";
import { passageStore } from "./passages.ts";
import { vectorStoreStore } from "./vector-stores.ts";

export function fileStores(db: Kysely<Tables>, table = new VectorTable()): FileStores {
  return {
    files: fileStore(db),
    vectorStores: vectorStoreStore(db),
    entries: entryStore(db),
    passages: passageStore(db, table),
    transaction: (work) => inTransaction(db, (tx) => work(fileStores(tx, table))),
  };
}
