import type { Kysely } from "kysely";
import type { TrainingStores } from "../../training/store.ts";
import { auditDesk } from "../billing/audit-desk.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { eventStore } from "./events.ts";
import { participantStore } from "./participants.ts";
import { runStore } from "./runs.ts";

export function trainingStores(db: Kysely<Tables>): TrainingStores {
  return {
    participants: participantStore(db),
    runs: runStore(db),
    events: eventStore(db),
    audit: auditDesk(db),
    transaction: (work) => inTransaction(db, (tx) => work(trainingStores(tx))),
  };
}
