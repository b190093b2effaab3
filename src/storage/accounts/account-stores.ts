import type { Kysely } from "kysely";
import type { AccountStores } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { keyStore } from "./keys.ts";
import { organizationStore } from "./organizations.ts";
import { sessionStore } from "./sessions.ts";
import { settingStore } from "./settings.ts";
import { teamStore } from "./teams.ts";
import { userStore } from "./users.ts";

export function accountStores(db: Kysely<Tables>): AccountStores {
  return {
    users: userStore(db),
    organizations: organizationStore(db),
    teams: teamStore(db),
    keys: keyStore(db),
    sessions: sessionStore(db),
    settings: settingStore(db),
    transaction: (work) => inTransaction(db, (transaction) => work(accountStores(transaction))),
  };
}
