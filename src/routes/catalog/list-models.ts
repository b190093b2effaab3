import Type from "typebox";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { PlatformModel } from "../../contract/platform-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { filterModels, MODEL_FILTERS } from "./model-filter.ts";
import { type CatalogDeps, platformModels } from "./platform-models.ts";

export const listPlatformModels = (deps: CatalogDeps) =>
  route({
    method: "GET",
    paths: ["/api/models"],
    tag: "Catalogue",
    summary: "List and search the models that can be called",
    description: "Prices are what callers are charged, with the mark-up.",
    auth: "none",
    query: Type.Object({ ...PageQuery.properties, ...MODEL_FILTERS }),
    success: Type.Object({
      ...PagedList(PlatformModel).properties,
      factsDate: Type.String({ description: "The date of the table that limits, capabilities and prices are from." }),
    }),
    errors: [],
    async handle({ query }) {
      const found = filterModels(await platformModels(deps), query);
      const page = pageOf(query);
      const { date: factsDate } = await deps.prices.inUse();
      return json({ ...paged(cutPage(found, page), page, found.length), factsDate });
    },
  });
