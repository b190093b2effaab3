import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { StrategyRecord } from "../../contract/training.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { describeStrategies } from "../../training/strategies/described.ts";

export const listStrategies = (): Route =>
  route({
    method: "GET",
    paths: ["/api/training/strategies"],
    tag: "Training",
    auth: "session",
    summary: "List the strategies that a plan may name",
    query: PageQuery,
    success: PagedList(StrategyRecord),
    errors: [],
    handle({ query }) {
      const page = pageOf(query);
      const all = describeStrategies();
      return json(paged(cutPage(all, page), page, all.length));
    },
  });
