import type { Catalog } from "../../catalog/catalog.ts";
import { loadModelBook } from "../../catalog/model-facts.ts";
import { describePlatformModel } from "../../gateway/platform-model.ts";

export interface PlatformModel {
  readonly id: string;
  readonly provider: string;
  readonly providerName: string;
  readonly type: string;
}

/** Every group that can be called by name; a wildcard stands for names that nobody has listed. */
export async function platformModels(catalog: Catalog, nowMs: number): Promise<PlatformModel[]> {
  const book = await loadModelBook();
  return catalog
    .groupNames()
    .filter((name) => !name.includes("*"))
    .flatMap((name) => {
      const [first] = catalog.resolve(name);
      return first ? [describePlatformModel(name, first, book.factsFor(first, nowMs)) as PlatformModel] : [];
    });
}
