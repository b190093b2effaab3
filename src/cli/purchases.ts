import { type Command, InvalidArgumentError, Option } from "commander";
import { dollarText } from "../contract/money.ts";
import type { CheckoutAnswer, PurchaseRecord } from "../contract/purchases.ts";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { type Receipt, receiptLines, type Statement, statementLines } from "./documents.ts";
import { download } from "./download.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { clean } from "./output.ts";

const WAIT_MS = 1_000;
const WAIT_MAX_MS = 15 * 60 * 1000;

type BuyFlags = { open?: boolean; wait?: boolean; key?: string };

/** Buying credits: by card, or with a voucher. */
export function addPurchases(program: Command, act: Act): void {
  const credits = program.command("credits").description("buy credits");
  credits
    .command("buy")
    .description("buy credits; prints the page to pay on")
    .argument("<usd>", "5 to 10000, such as 20 or 19.99", readAmount)
    .option("--open", "open the page in a browser")
    .option("--wait", "wait until it is paid; fails if it is not")
    .option("--key <text>", "sent again with the same key it is the same purchase; another amount needs another key")
    .action(
      act(async (context, { open, wait, key = crypto.randomUUID() }: BuyFlags, amountUsd: string) => {
        const { output } = context;
        const answer = await beginPurchase(context, amountUsd, key);
        const { purchase, checkoutUrl } = answer;
        // Also with --quiet and --json: whoever waits has to know where to pay.
        if (wait) process.stderr.write(`Pay at ${clean(checkoutUrl)}\n`);
        if (open && !openInBrowser(checkoutUrl)) output.note("No browser could be opened; go to the address yourself.");
        if (!wait) {
          const fields = { Purchase: purchase.id, Amount: dollarText(purchase.amountUsd), "Pay at": checkoutUrl };
          output.record(answer, fields, checkoutUrl);
          return;
        }
        const paid = await waitForPayment(context, purchase.id);
        output.done(paid, `${dollarText(paid.amountUsd)} of credits are yours.`);
      }),
    );

  credits
    .command("redeem")
    .description("redeem a voucher")
    .argument("<code>")
    .action(
      act(async ({ api, output }, _: object, code: string) => {
        const redeemed = await api.send<{ amountUsd: string }>("POST", "/api/billing/vouchers/redeem", { code });
        output.done(redeemed, `${dollarText(redeemed.amountUsd)} of credits are yours.`);
      }),
    );

  const purchases = program.command("purchases").description("what was bought");
  withPages(purchases.command("list").description("list purchases, the newest first")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<PurchaseRecord>>("/api/billing/purchases", pageQuery(flags)), {
        ID: ({ id }) => id,
        TIME: ({ createdAt }) => createdAt,
        AMOUNT: ({ amountUsd }) => dollarText(amountUsd),
        STATUS: ({ status }) => status,
        "GIVEN BACK": ({ refunded, refundedUsd }) => (refunded === 0 ? null : dollarText(refundedUsd)),
      });
    }),
  );
  addDocument<Receipt>(
    purchases.command("receipt").description("show the receipt of a purchase").argument("<purchase>", "its id"),
    act,
    (id) => `/api/billing/purchases/${encodeURIComponent(id)}/receipt`,
    receiptLines,
  );
  addDocument<Statement>(
    program
      .command("statement")
      .description("show the statement of a month")
      .argument("<month>", "such as 2026-11", readMonth),
    act,
    (month) => `/api/billing/statements/${encodeURIComponent(month)}`,
    statementLines,
  );
}

/** Where no answer came, the purchase may be there all the same: whoever tries again must be able to say that it is this one. */
async function beginPurchase({ api }: Context, amountUsd: string, key: string): Promise<CheckoutAnswer> {
  const bearer = await api.token();
  try {
    const headers = { "idempotency-key": key };
    return await api.call("/api/billing/checkout", { method: "POST", body: { amountUsd }, bearer, headers });
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.network) throw thrown;
    const again = `To try again without buying twice: ${COMMAND} credits buy ${amountUsd} --key ${key}`;
    throw new CliError(thrown.exit, thrown.code, thrown.message, {
      hint: thrown.hint === null ? again : `${thrown.hint}\n${again}`,
    });
  }
}

type DocumentFlags = { format: string; csv?: boolean; out?: string };

/** Something to read, or to file away as the server writes it. */
function addDocument<T extends object>(
  command: Command,
  act: Act,
  pathOf: (argument: string) => string,
  linesOf: (document: T) => readonly string[],
): void {
  command
    .addOption(
      new Option("--format <format>", "how it is written")
        .choices(["text", "csv", "html", "json", "pdf"])
        .default("text"),
    )
    .option("--csv", "the same as --format csv")
    .option("--out <file>", "where to write it; needed for pdf")
    .action(
      act(async ({ api, output }, { format, csv, out }: DocumentFlags, argument: string) => {
        // Where a file is written, --json is only about what is told of it.
        const chosen =
          output.json && out === undefined
            ? "json"
            : csv || (output.format === "csv" && out === undefined)
              ? "csv"
              : format;
        const wire = chosen === "text" ? "json" : chosen;
        if (chosen === "pdf" && out === undefined) throw usageError("A PDF is written to a file: name it with --out.");
        if (chosen === "text" && out !== undefined) {
          throw usageError("What is written to a file needs a --format: pdf, csv, html or json.");
        }
        const response = await api.fetch(`${pathOf(argument)}?format=${wire}`, { bearer: await api.token() });
        if (out !== undefined) {
          const { bytes } = await download(api, response, out, null);
          output.record({ file: out, bytes }, { File: out, Bytes: bytes }, out);
          return;
        }
        const text = await response.text();
        if (chosen !== "text") output.data(text.replace(/\r?\n$/, ""));
        else for (const line of linesOf(JSON.parse(text) as T)) output.data(clean(line));
      }),
    );
}

function readMonth(text: string): string {
  if (!/^[0-9]{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError("It must be a month such as 2026-11.");
  return text;
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
        hint: `See: ${COMMAND} purchases list`,
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
