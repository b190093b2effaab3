import { type Command, InvalidArgumentError } from "commander";
import { dollars, dollarText } from "../contract/money.ts";
import type { AlertsRecord, AutoTopUpRecord } from "../contract/purchases.ts";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Act } from "./context.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { readUsd } from "./read-usd.ts";
import { addWebhooks } from "./webhooks.ts";

/** What happens to a balance by itself: alerts, top-ups, and who is told. */
export function addNotices(program: Command, act: Act): void {
  addAlerts(program.command("alerts").description("balances below which you are told"), act);
  addTopUp(program.command("auto-topup").description("buy credits when the balance runs low"), act);
  addWebhooks(
    program.command("webhooks").description("addresses that are told what happens to credit, budgets, keys and people"),
    act,
  );
}

function addAlerts(alerts: Command, act: Act): void {
  const amounts = ({ thresholds }: AlertsRecord): string =>
    thresholds.map(({ thresholdUsd }) => dollarText(thresholdUsd)).join(", ") || "none";
  const shares = ({ budgetPercents }: AlertsRecord): string =>
    budgetPercents.map((percent) => `${percent} %`).join(", ") || "none";

  alerts
    .command("show")
    .description("show them")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<AlertsRecord>("/api/billing/alerts");
        output.record(found, { "Told below": amounts(found), "Of budgets at": shares(found) }, amounts(found));
      }),
    );

  alerts
    .command("set")
    .description("choose them; what is not named stays, and the word none switches them off")
    .argument("[usd...]", "balances such as 10 5, or none", readAmounts)
    .option("--budget-percents <list>", "shares of budgets, such as 80,100, or none", readPercents)
    .action(
      act(async ({ api, output }, { budgetPercents }: { budgetPercents?: number[] }, ...given) => {
        const words = given.flat().filter((word) => word !== undefined);
        if (words.length === 0 && budgetPercents === undefined) throw usageError("Nothing to change.", SET_ALERTS);
        if (words.length > 1 && words.includes("none")) throw usageError("Give amounts or none, not both.");
        const thresholds = words.length === 0 ? undefined : words.filter((word) => word !== "none").map(readUsd);
        const found = await api.send<AlertsRecord>("PUT", "/api/billing/alerts", { thresholds, budgetPercents });
        output.done(found, `You are told below: ${amounts(found)}; of budgets at: ${shares(found)}.`);
      }),
    );
}

const SET_ALERTS = `Name balances, such as: ${COMMAND} alerts set 10 5. To be told of none: ${COMMAND} alerts set none`;

type TopUpFlags = { threshold: number; amount: number; monthlyCap?: number };

function addTopUp(topUp: Command, act: Act): void {
  const path = "/api/billing/auto-top-up";

  topUp
    .command("show")
    .description("show whether and how")
    .action(
      act(async ({ api, output }) => {
        const found = await api.get<AutoTopUpRecord>(path);
        const { enabled, declines, retryAt, paymentMethod } = found;
        const fields = {
          On: enabled ? "yes" : "no",
          Below: dollars(found.threshold),
          Buys: dollars(found.amount),
          "In a month": found.monthlyCap === null ? "no limit" : dollars(found.monthlyCap),
          "Paid with": paymentMethod?.label ?? `nothing yet: ${COMMAND} auto-topup card`,
          Declines: declines,
          "Waits until": retryAt,
        };
        output.record(found, fields, enabled ? "on" : "off");
      }),
    );

  topUp
    .command("card")
    .description("save a means of payment; prints the page to do it on")
    .option("--open", "open the page in a browser")
    .action(
      act(async ({ api, output }, { open }: { open?: boolean }) => {
        const answer = await api.send<{ setupUrl: string }>("POST", "/api/billing/payment-method", undefined);
        if (open && !openInBrowser(answer.setupUrl)) output.note("No browser could be opened.");
        output.record(answer, { "Save it at": answer.setupUrl }, answer.setupUrl);
      }),
    );

  topUp
    .command("on")
    .description("switch it on")
    .requiredOption("--threshold <usd>", "below this balance", readUsd)
    .requiredOption("--amount <usd>", "so much is bought", readUsd)
    .option("--monthly-cap <usd>", "and no more than this in a month", readUsd)
    .action(
      act(async ({ api, output }, { threshold, amount, monthlyCap }: TopUpFlags) => {
        if ((await api.get<AutoTopUpRecord>(path)).paymentMethod === null) {
          throw new CliError(EXIT.error, "VALIDATION_ERROR", "No means of payment is saved yet.", {
            hint: `Save one with: ${COMMAND} auto-topup card`,
          });
        }
        const body = { enabled: true, threshold, amount, ...(monthlyCap === undefined ? {} : { monthlyCap }) };
        const found = await api.send<AutoTopUpRecord>("PUT", path, body);
        output.done(found, `Below ${dollars(found.threshold)}, ${dollars(found.amount)} is bought.`);
      }),
    );

  topUp
    .command("off")
    .description("switch it off")
    .action(
      act(async ({ api, output }) => {
        const { threshold, amount, monthlyCap } = await api.get<AutoTopUpRecord>(path);
        // What was never switched on has no amount to keep.
        const kept = amount === 0 ? { threshold: 0, amount: 5_000_000_000 } : { threshold, amount, monthlyCap };
        const found = await api.send<AutoTopUpRecord>("PUT", path, { enabled: false, ...kept });
        output.done(found, "Nothing is bought by itself any more.");
      }),
    );
}

/** Looked at here, so that a wrong one is told as any wrong argument is. */
function readAmounts(text: string, before: readonly string[] | undefined): readonly string[] {
  if (text !== "none") readUsd(text);
  return [...(before ?? []), text];
}

function readPercents(text: string): number[] {
  const percents = text === "none" ? [] : text.split(",").map(Number);
  if (percents.every((percent) => Number.isInteger(percent) && percent >= 1 && percent <= 100)) return percents;
  throw new InvalidArgumentError("It must be whole percentages such as 80,100, or none.");
}
