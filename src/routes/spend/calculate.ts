import { costNanoUsd } from "../../catalog/cost.ts";
import type { MeteredUsage } from "../../catalog/units.ts";
import { GatewayError } from "../../contract/errors.ts";
import { CalculateBody, LooseObject } from "../../contract/spend.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { findVisible } from "../../gateway/info/visible-models.ts";
import { countRequest } from "../../gateway/operations/count-tokens.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { isRecord, textOf } from "../../lib/json.ts";
import { callOf } from "../inference/call-of.ts";
import { unknownModel } from "../models/unknown-model.ts";
import { usd } from "./usd.ts";

export const calculateSpend = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/spend/calculate"],
    tag: "Spend",
    summary: "Tell what a prompt or an answer costs",
    description:
      "Of a model and messages, what the prompt costs, with its `tools`; of a completion, what its `usage` costs.",
    auth: "key",
    body: CalculateBody,
    success: LooseObject,
    errors: ["model_not_found", "invalid_request"],
    async handle(context) {
      const { body, caller } = context;
      const answer = body.completion_response ?? null;
      const model = body.model ?? textOf(answer?.model);
      if (!model) throw new GatewayError("invalid_request", "`model` is missing.", { param: "model" });
      const deployment = findVisible(deps.catalog(), caller, model)?.deployments[0];
      if (!deployment) throw unknownModel(model);
      await deps.prices.load();
      const prices = deps.prices.find(deployment)?.prices;
      if (!prices) throw new GatewayError("invalid_request", `There is no price for \`${model.slice(0, 200)}\`.`);
      const usage = answer ? answer.usage : await promptUsage();
      if (!isRecord(usage)) throw new GatewayError("invalid_request", "Send `messages`, or a completion with `usage`.");
      return json({ cost: usd(costNanoUsd(prices, usage as MeteredUsage)) });

      async function promptUsage(): Promise<MeteredUsage | null> {
        if (!body.messages) return null;
        const request = { model, messages: body.messages, tools: body.tools } as Parameters<typeof countRequest>[2];
        const { total_tokens } = await countRequest(deps, callOf(context, model as string), request, false);
        return { prompt_tokens: total_tokens };
      }
    },
  });
