import { type Command, InvalidArgumentError, Option } from "commander";
import type { CheckoutAnswer, PurchaseRecord } from "../contract/purchases.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { clean } from "./output.ts";

const WAIT_MS = 1_000;
const WAIT_MAX_MS = 15 * 60 * 1000;

type BuyFlags = { open?: boolean; wait?: boolean };

/** Buying credits: by card, or with a voucher. */
export function addPurchases(program: Command, act: Act): void {
  const credits = program.command("credits").description("buy credits");
  credits
    .command("buy")
    .description("buy credits; prints the page to pay on")
    .argument("<usd>", "5 to 10000, such as 20 or 19.99", readAmount)
    .option("--open", "open the page in a browser")
    .option("--wait", "wait until it is paid; fails if it is not")
    .action(
      act(async (context, { open, wait }: BuyFlags, amountUsd: string) => {
        const { api, output } = context;
        const answer = await api.send<CheckoutAnswer>("POST", "/api/billing/checkout", { amountUsd });
        const { purchase, checkoutUrl } = answer;
        // Also with --quiet and --json: whoever waits has to know where to pay.
        if (wait) process.stderr.write(`Pay at ${clean(checkoutUrl)}\n`);
        if (open && !openInBrowser(checkoutUrl)) output.note("No browser could be opened; go to the address yourself.");
        if (!wait) {
          const fields = { Purchase: purchase.id, Amount: `$${purchase.amountUsd}`, "Pay at": checkoutUrl };
          output.record(answer, fields, checkoutUrl);
          return;
        }
        const paid = await waitForPayment(context, purchase.id);
        output.done(paid, `$${paid.amountUsd} of credits are yours.`);
      }),
    );

  credits
    .command("redeem")
    .description("redeem a voucher")
    .argument("<code>")
    .action(
      act(async ({ api, output }, _: object, code: string) => {
        const redeemed = await api.send<{ amountUsd: string }>("POST", "/api/billing/vouchers/redeem", { code });
        output.done(redeemed, `$${redeemed.amountUsd} of credits are yours.`);
      }),
    );

  const purchases = program.command("purchases").description("what was bought");
  withPages(purchases.command("list").description("list purchases, the newest first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<PurchaseRecord>>("/api/billing/purchases", pageQuery(flags)), {
        ID: ({ id }) => id,
        TIME: ({ createdAt }) => createdAt,
        AMOUNT: ({ amountUsd }) => `$${amountUsd}`,
        STATUS: ({ status }) => status,
        "GIVEN BACK": ({ refunded, refundedUsd }) => (refunded === 0 ? null : `$${refundedUsd}`),
      });
    }),
  );
  addDocument(
    purchases.command("receipt").description("print the receipt of a purchase").argument("<purchase>", "its id"),
    act,
    (id) => `/api/billing/purchases/${encodeURIComponent(id)}/receipt`,
  );
  addDocument(
    program.command("statement").description("print the statement of a month").argument("<month>", "such as 2026-11"),
    act,
    (month) => `/api/billing/statements/${encodeURIComponent(month)}`,
  );
}

/** Something to file away, as the server writes it. */
function addDocument(command: Command, act: Act, pathOf: (argument: string) => string): void {
  command.addOption(new Option("--format <format>").choices(["csv", "html", "json"]).default("csv")).action(
    act(async ({ api, output }, { format }: { format: string }, argument: string) => {
      const chosen = output.json ? "json" : format;
      const response = await api.fetch(`${pathOf(argument)}?format=${chosen}`, { bearer: await api.token() });
      output.data((await response.text()).replace(/\r?\n$/, ""));
    }),
  );
}

async function waitForPayment({ api }: Context, id: string): Promise<PurchaseRecord> {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const purchase = await api.get<PurchaseRecord>(`/api/billing/purchases/${id}`);
    if (purchase.status === "paid") return purchase;
    if (purchase.status !== "pending") {
      const why = purchase.failure ?? `The purchase is ${purchase.status}.`;
      throw new CliError(EXIT.error, "NOT_PAID", why, { hint: "Nothing was bought." });
    }
    if (Date.now() > deadline) {
      throw new CliError(EXIT.network, "TIMEOUT", "It has not been paid yet.", {
        hint: "See: turnpike purchases list",
      });
    }
    await Bun.sleep(WAIT_MS);
  }
}

function readAmount(text: string): string {
  const plain = text.replace(/^\$/, "");
  if (!/^[0-9]{1,5}(\.[0-9]{1,2})?$/.test(plain)) throw new InvalidArgumentError("It must be an amount in USD.");
  return plain;
}
