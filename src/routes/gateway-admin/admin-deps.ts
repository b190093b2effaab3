import type { Budgets } from "../../accounts/budgets.ts";
import type { EndUsers } from "../../accounts/end-users.ts";
import type { Keys } from "../../accounts/keys.ts";
import type { Members } from "../../accounts/members.ts";
import type { OperatorOrganizations } from "../../accounts/operator-organizations.ts";
import type { Organizations } from "../../accounts/organizations.ts";
import type { AccountStores } from "../../accounts/store.ts";
import type { Teams } from "../../accounts/teams.ts";
import type { Users } from "../../accounts/users.ts";
import type { BudgetSpending } from "../../ledger/budget-spending.ts";
import type { Clock } from "../../lib/clock.ts";
import type { UsageStore } from "../../usage/store.ts";

/** The services behind the platform's own API, too: one implementation, two faces. */
export interface GatewayAdminDeps {
  readonly keys: Keys;
  readonly teams: Teams;
  readonly organizations: Organizations;
  readonly members: Members;
  readonly users: Users;
  readonly budgets: Budgets;
  readonly endUsers: EndUsers;
  readonly operator: OperatorOrganizations;
  readonly stores: AccountStores;
  readonly usage: Pick<UsageStore, "spendOf" | "spendOfKeys" | "spendOfTeams">;
  readonly spending: BudgetSpending;
  readonly clock: Clock;
}
