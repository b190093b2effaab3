import type { Command } from "commander";
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
  withPages(program.command("models").description("models").command("list").description("list and search models"))
    .option("--search <text>", "part of the id or of the provider's name")
    .option("--type <type>", "such as chat or embedding")
    .option("--provider <id>", "only those of one provider")
    .addHelpText("after", "\nPrices are USD for a million units.")
    .action(
      act(async ({ api, output }, flags: ModelFlags) => {
        const { search, type, provider } = flags;
        output.list(await api.open<Page<Model>>("/api/models", { ...pageQuery(flags), search, type, provider }), {
          ID: ({ id }) => id,
          PROVIDER: (model) => model.provider,
          TYPE: (model) => model.type,
          CONTEXT: ({ contextLength }) => contextLength,
          "INPUT USD/M": ({ inputPrice }) => usd(inputPrice),
          "OUTPUT USD/M": ({ outputPrice }) => usd(outputPrice),
        });
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

const usd = (nano: number | null): string | null => (nano === null ? null : formatUsd(BigInt(nano)));
