import type { Command } from "commander";
import { dollars, dollarText } from "../contract/money.ts";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";
import { findOrganizationId } from "./find-organization.ts";

interface Balance {
  readonly organizationId: string;
  readonly balance: number;
  readonly balanceUsd: string;
  readonly held: number;
  readonly available: number;
}

interface Quota extends Balance {
  readonly purchased: number;
  readonly granted: number;
  readonly used: number;
  readonly status: string;
  readonly blockedTeams: number;
}

interface LedgerLine {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly amountUsd: string;
  readonly balanceUsd: string;
  readonly reason: string;
}

interface Grant {
  readonly id: string;
  readonly amountUsd: string;
  readonly balanceUsd: string;
  readonly replayed: boolean;
}

const HELD = "What is held is set aside for running calls; what they do not need is given back within about a minute.";

/** What the organization has, and how it came to it. */
export function addBilling(program: Command, act: Act): void {
  program
    .command("balance")
    .description("show the credit of your organization")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<Balance>("/api/balance");
        const { balance, balanceUsd, held, available } = found;
        const fields = { Balance: dollars(balance), Held: dollars(held), Available: dollars(available) };
        output.record(found, fields, balanceUsd);
        if (held > 0) output.note(HELD);
      }),
    );

  program
    .command("quota")
    .description("show what your organization has bought, was given and has used")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<Quota>("/api/quota");
        const amounts = {
          Balance: dollars(found.balance),
          Held: dollars(found.held),
          Available: dollars(found.available),
          Purchased: dollars(found.purchased),
          Granted: dollars(found.granted),
          Used: dollars(found.used),
        };
        const { status, blockedTeams, balanceUsd } = found;
        output.record(found, { ...amounts, Status: status, "Blocked teams": blockedTeams }, balanceUsd);
        if (found.held > 0) output.note(HELD);
      }),
    );

  const ledger = program
    .command("ledger")
    .description("what moved the credit of your organization")
    .addHelpText(
      "after",
      "\nFor whoever runs the server, on its machine:\n" +
        "  ledger verify [--data-dir DIR]      recompute the books; ends with 1 if anything differs\n" +
        "  ledger show ORG [--data-dir DIR]    an organization's credit and latest entries",
    );
  withPages(
    ledger
      .command("list")
      .description("list the entries, newest first; a usage entry sums many calls, which `logs list` shows"),
  ).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<LedgerLine>>("/api/billing/ledger", pageQuery(flags)), {
        TIME: ({ at }) => at,
        KIND: ({ kind }) => kind,
        AMOUNT: ({ amountUsd }) => dollarText(amountUsd),
        BALANCE: ({ balanceUsd }) => dollarText(balanceUsd),
        REASON: ({ reason }) => reason,
      });
    }),
  );
}

type GrantFlags = { reason: string; key?: string };

/** `admin credits ...` */
export function addCredits(admin: Command, act: Act): void {
  admin
    .command("credits")
    .description("credit that is given rather than bought")
    .command("grant")
    .description("give an organization credit")
    .argument("<organization>", "its id, slug or name")
    .argument("<usd>", "how much, such as 12.50")
    .requiredOption("--reason <text>", "why; it is shown to the organization")
    .option("--key <text>", "a repeated call with the same key grants nothing more; another amount needs another key")
    .action(
      act(async ({ api, output }, { reason, key }: GrantFlags, organization: string, amount: string) => {
        const body = {
          amountUsd: amount.replace("$", ""),
          reason,
          ...(key === undefined ? {} : { idempotencyKey: key }),
        };
        const id = await findOrganizationId({ api }, organization);
        const path = `/api/admin/organizations/${encodeURIComponent(id)}/credits`;
        const grant = await api.send<Grant>("POST", path, body);
        const done = grant.replayed ? "was given before" : "is given";
        output.done(grant, `${dollarText(grant.amountUsd)} ${done}; the balance is ${dollarText(grant.balanceUsd)}.`);
      }),
    );
}
