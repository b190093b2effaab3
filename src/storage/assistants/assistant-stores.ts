import type { Kysely } from "kysely";
import type { AssistantStores } from "../../assistants/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { assistantStore } from "./assistants.ts";
import { messageStore } from "./messages.ts";
import { runStore } from "./runs.ts";
import { stepStore } from "./steps.ts";
import { threadStore } from "./threads.ts";

export function assistantStores(db: Kysely<Tables>): AssistantStores {
  return {
    assistants: assistantStore(db),
    threads: threadStore(db),
    messages: messageStore(db),
    runs: runStore(db),
    steps: stepStore(db),
    transaction: (work) => inTransaction(db, (tx) => work(assistantStores(tx))),
  };
}
