import { afterAll, beforeAll } from "bun:test";
import type { Organization, Team, User } from "../../src/accounts/records.ts";
import type { AccountStores } from "../../src/accounts/store.ts";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { openBackend } from "../../src/storage/open.ts";
import { type FreshDatabase, migratedDatabase } from "./databases.ts";
import { newOrganization, newTeam, newUser } from "./new-records.ts";

/** The stores on a database of their own, from the first test of the surrounding `describe` to its last. */
export class StoreBench {
  #database: FreshDatabase | null = null;
  #backend: Backend | null = null;

  constructor(readonly kind: Backend["kind"]) {
    beforeAll(async () => {
      this.#database = await migratedDatabase(kind);
      this.#backend = openBackend(this.#database.settings);
    });
    afterAll(async () => {
      await this.#backend?.close();
      this.#database?.[Symbol.dispose]();
    });
  }

  get backend(): Backend {
    if (this.#backend === null) throw new Error("the bench is there within tests only");
    return this.#backend;
  }

  get stores(): AccountStores {
    return accountStores(this.backend.db);
  }

  storedUser(given: Partial<User> = {}): Promise<User> {
    return this.stores.users.insert(newUser(given));
  }

  async storedOrganization(given: Partial<Organization> = {}): Promise<Organization> {
    const organization = newOrganization(given.ownerId ?? (await this.storedUser()).id, given);
    await this.stores.organizations.insert(organization);
    return organization;
  }

  async storedTeam(given: Partial<Team> = {}): Promise<Team> {
    const team = newTeam(given.organizationId ?? (await this.storedOrganization()).id, given);
    await this.stores.teams.insert(team);
    return team;
  }
}
