import Type from "typebox";
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
    success: Type.Object({ data: Type.Array(StrategyRecord) }),
    errors: [],
    handle: () => json({ data: describeStrategies() }),
  });
