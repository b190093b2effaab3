import type { Command } from "commander";
import { decimalText } from "../contract/decimal-text.ts";
import { formatUsd } from "../contract/money.ts";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";

interface Model {
  readonly id: string;
  readonly provider: string;
  readonly type: string;
  readonly contextLength: number | null;
  readonly inputPrice: number | null;
  readonly outputPrice: number | null;
  readonly priceStatus: "known" | "free" | "unknown";
  readonly status: string;
  readonly capabilities: Readonly<Record<string, boolean | null>>;
  readonly pricing: readonly { readonly component: string; readonly price: number }[];
}

interface Provider {
  readonly id: string;
  readonly name: string;
  readonly modelsCount: number;
  readonly types: readonly string[];
}

type ModelFlags = PageFlags & { search?: string; type?: string; provider?: string };

/** What can be called. Everybody may look, signed in or not. */
export function addModels(program: Command, act: Act): void {
  const models = program.command("models").description("models");
  withPages(models.command("list").description("list and search models"))
    .option("--search <text>", "part of the id or of the provider's name")
    .option("--type <type>", "such as chat or embedding")
    .option("--provider <id>", "only those of one provider")
    .addHelpText("after", "\nPrices are USD for a million tokens; OTHER has what is not counted in tokens.")
    .action(
      act(async ({ api, output }, flags: ModelFlags) => {
        const { search, type, provider } = flags;
        const page = await api.open<Page<Model>>("/api/models", { ...pageQuery(flags), search, type, provider });
        output.list(page, {
          ID: ({ id }) => id,
          PROVIDER: (model) => model.provider,
          TYPE: (model) => model.type,
          CONTEXT: ({ contextLength }) => contextLength,
          "INPUT USD/M": (model) => tokenPrice(model, model.inputPrice),
          "OUTPUT USD/M": (model) => tokenPrice(model, model.outputPrice),
          "OTHER USD": otherPrices,
        });
        for (const { id, status } of page.data) {
          if (status === "unavailable") output.note(`${id} cannot be called at present.`);
        }
      }),
    );

  models
    .command("show")
    .alias("get")
    .description("show a model with its prices and what it can do")
    .argument("<model>", "the name to call it by")
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const model = await api.open<Model>(`/api/models/${encodeURIComponent(wanted)}`);
        const able = Object.entries(model.capabilities).flatMap(([name, has]) => (has === true ? [name] : []));
        const fields = {
          Id: model.id,
          Provider: model.provider,
          Type: model.type,
          Status: model.status,
          Context: model.contextLength,
          Capabilities: able.join(", ") || null,
          "Input USD/M": tokenPrice(model, model.inputPrice),
          "Output USD/M": tokenPrice(model, model.outputPrice),
          "Other USD": otherPrices(model),
        };
        output.record(model, fields, model.id);
      }),
    );

  withPages(program.command("providers").description("providers").command("list").description("list providers")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.open<Page<Provider>>("/api/providers", pageQuery(flags)), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        MODELS: ({ modelsCount }) => modelsCount,
        TYPES: ({ types }) => types.join(", "),
      });
    }),
  );
}

/** A nought for tokens says that the model is free, which it is not where something else of it has a price. */
function tokenPrice(model: Model, nano: number | null): string | null {
  if (model.priceStatus === "free") return "free";
  return nano === null || (nano === 0 && otherPrices(model) !== null) ? null : formatUsd(BigInt(nano));
}

/** What is not counted in tokens, in the amount that people know its price for: how many units as a power of ten. */
const OTHER_UNITS: Readonly<Record<string, readonly [unit: string, exponent: number]>> = {
  image: ["picture", 0],
  second: ["second", 0],
  character: ["M characters", 6],
  request: ["request", 0],
};

const NANO_DIGITS = 9;
const MILLION_DIGITS = 6;

function otherPrices({ priceStatus, pricing }: Model): string | null {
  if (priceStatus === "free") return null;
  const told = pricing.flatMap(({ component, price }) => {
    const [unit, exponent] = OTHER_UNITS[component] ?? [];
    if (unit === undefined || exponent === undefined || price === 0) return [];
    const [whole, fraction = ""] = decimalText(BigInt(price), NANO_DIGITS + MILLION_DIGITS - exponent).split(".");
    return `${whole}.${fraction.padEnd(2, "0")}/${unit}`;
  });
  return told.length === 0 ? null : told.join(", ");
}
