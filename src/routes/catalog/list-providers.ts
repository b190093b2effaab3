import Type from "typebox";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import type { PlatformModel } from "../../contract/platform-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type CatalogDeps, platformModels } from "./platform-models.ts";

const ProviderView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  modelsCount: Type.Integer(),
  types: Type.Array(Type.String()),
});

export const listProvidersRoute = (deps: CatalogDeps) =>
  route({
    method: "GET",
    paths: ["/api/providers"],
    tag: "Catalogue",
    summary: "List the providers whose models can be called",
    auth: "none",
    query: PageQuery,
    success: PagedList(ProviderView),
    errors: [],
    async handle({ query }) {
      const byProvider = new Map<string, PlatformModel[]>();
      for (const model of await platformModels(deps)) {
        byProvider.set(model.provider, [...(byProvider.get(model.provider) ?? []), model]);
      }
      const rows = Array.from(byProvider, ([id, models]) => ({
        id,
        name: models[0]?.providerName ?? id,
        modelsCount: models.length,
        types: [...new Set(models.map((model) => model.type))].sort(),
      })).sort((a, b) => a.id.localeCompare(b.id));
      const page = pageOf(query);
      return json(paged(cutPage(rows, page), page, rows.length));
    },
  });
