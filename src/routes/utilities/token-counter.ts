import Type from "typebox";
import { TokenCountRequest, TokenCountResponse } from "../../contract/models.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { countRequest } from "../../gateway/operations/count-tokens.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { callOf } from "../inference/call-of.ts";
import { INFERENCE_ERRORS } from "../inference/inference-errors.ts";

export const tokenCounter = (deps: GatewayDeps) =>
  route({
    method: "POST",
    paths: ["/utils/token_counter"],
    tag: "Utilities",
    summary: "Count the tokens of a prompt",
    description: "Counted here with OpenAI's tokenizer, which is an estimate for other makers' models.",
    auth: "key",
    query: Type.Object({
      call_endpoint: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "Ask the provider's own counter, where it has one and no guardrail looks at the request. Then it is one of the calls that the key may make in a minute and at one time.",
        }),
      ),
    }),
    body: TokenCountRequest,
    success: TokenCountResponse,
    errors: INFERENCE_ERRORS,
    async handle(context) {
      const { body, query } = context;
      const call = callOf(context, body.model);
      const counted = await countRequest(deps, call, body, query.call_endpoint === true);
      return json(counted, 200, call.responseMeta.addTo({}));
    },
  });
