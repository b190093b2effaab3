import type { Catalog } from "../catalog/catalog.ts";
import type { Deployment } from "../catalog/deployment.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Logger } from "../lib/log.ts";
import { findChatDialect } from "../providers/registry.ts";
import type { Transport } from "../providers/transport.ts";
import { answerJson } from "./answer-json.ts";
import { answerStream } from "./answer-stream.ts";
import type { ChatCall } from "./chat-call.ts";
import { resolveForCaller } from "./model-access.ts";
import { pickDeployment } from "./pick.ts";
import { readFailure } from "./upstream-failure.ts";

export interface ChatDeps {
  /** Read anew for each call, so that a reload takes effect at once. */
  readonly catalog: () => Catalog;
  readonly transport: Transport;
  readonly timeoutMs: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

/** The story of a chat completion: who may call what, where it goes, and how the answer comes back. */
export async function completeChat(deps: ChatDeps, call: ChatCall): Promise<Response> {
  const deployments = resolveForCaller(deps.catalog(), call.caller, call.request.model);
  const deployment = pickDeployment(deployments, deps.random());
  if (!deployment) throw new GatewayError("model_not_found", "The model has no deployment.", { param: "model" });
  const response = await sendChat(deps, call, deployment);
  return call.request.stream === true
    ? answerStream(response, { model: call.request.model, deployment, call, log: deps.log })
    : answerJson(response, { model: call.request.model, deployment });
}

async function sendChat(deps: ChatDeps, call: ChatCall, deployment: Deployment): Promise<Response> {
  const dialect = findChatDialect(deployment.provider);
  if (!dialect) {
    throw new GatewayError(
      "invalid_request",
      `The provider \`${deployment.provider}\` does not serve chat completions.`,
    );
  }
  const timeout = AbortSignal.timeout(timeoutOf(deployment) ?? deps.timeoutMs());
  const signal = AbortSignal.any([call.signal, timeout]);
  let response: Response;
  try {
    response = await deps.transport.send(dialect.encode(call.request, deployment), signal);
  } catch (thrown) {
    if (timeout.aborted) throw new GatewayError("timeout", "The model did not answer in time.", { cause: thrown });
    throw thrown;
  }
  if (!response.ok) throw await readFailure(response, dialect);
  return response;
}

/** A deployment's own time limit, in seconds as its configuration has it. */
const timeoutOf = ({ params }: Deployment): number | null =>
  typeof params.timeout === "number" && params.timeout > 0 ? params.timeout * 1000 : null;
