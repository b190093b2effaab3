import type { Command } from "commander";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";

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

/** What the organization has, and how it came to it. */
export function addBilling(program: Command, act: Act): void {
  program
    .command("balance")
    .description("show the credit of your organization")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<Balance>("/api/balance");
        const { balance, balanceUsd, held, available } = found;
        const fields = { Balance: usd(balance), Held: usd(held), Available: usd(available) };
        output.record(found, fields, balanceUsd);
      }),
    );

  program
    .command("quota")
    .description("show what your organization has bought, was given and has used")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<Quota>("/api/quota");
        const amounts = {
          Balance: usd(found.balance),
          Held: usd(found.held),
          Available: usd(found.available),
          Purchased: usd(found.purchased),
          Granted: usd(found.granted),
          Used: usd(found.used),
        };
        const { status, blockedTeams, balanceUsd } = found;
        output.record(found, { ...amounts, Status: status, "Blocked teams": blockedTeams }, balanceUsd);
      }),
    );

  const ledger = program.command("ledger").description("what moved the credit of your organization");
  withPages(ledger.command("list").description("list the entries, the newest first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<LedgerLine>>("/api/billing/ledger", pageQuery(flags)), {
        TIME: ({ at }) => at,
        KIND: ({ kind }) => kind,
        AMOUNT: ({ amountUsd }) => `$${amountUsd}`,
        BALANCE: ({ balanceUsd }) => `$${balanceUsd}`,
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
    .argument("<organization>", "its id")
    .argument("<usd>", "how much, such as 12.50")
    .requiredOption("--reason <text>", "why; it is shown to the organization")
    .option("--key <text>", "a repeated call with the same key grants nothing more")
    .action(
      act(async ({ api, output }, { reason, key }: GrantFlags, organization: string, amount: string) => {
        const body = {
          amountUsd: amount.replace("$", ""),
          reason,
          ...(key === undefined ? {} : { idempotencyKey: key }),
        };
        const path = `/api/admin/organizations/${encodeURIComponent(organization)}/credits`;
        const grant = await api.send<Grant>("POST", path, body);
        const done = grant.replayed ? "was given before" : "is given";
        output.done(grant, `$${grant.amountUsd} ${done}; the balance is $${grant.balanceUsd}.`);
      }),
    );
}

/** From the integer: a float would show what nobody paid. */
function usd(nano: number): string {
  const digits = Math.abs(nano).toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "").padEnd(2, "0");
  return `${nano < 0 ? "-" : ""}$${digits.slice(0, -9)}.${fraction}`;
}
