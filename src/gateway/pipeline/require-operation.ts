import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import { shortName } from "../../lib/short-name.ts";
import { providerOf } from "../../providers/registry.ts";
import { operationOfMode } from "../info/supported-params.ts";

/** How models are called that do not chat. */
const CALLED_BY: Readonly<Partial<Record<Operation, string>>> = {
  embedding: "makes vectors of texts: call POST /v1/embeddings",
  image: "makes pictures: call POST /v1/images/generations",
  speech: "speaks: call POST /v1/audio/speech",
  transcription: "writes down what is said: call POST /v1/audio/transcriptions",
  moderation: "judges texts: call POST /v1/moderations",
  rerank: "puts documents in order: call POST /v1/rerank",
  realtime: "talks in sessions: open one at /v1/realtime",
};

/**
 * A chat with a model whose `model_info` says that it is for something else, and whose provider has that. Where the provider
 * has not, its models may draw or speak in chats, as Google's do; where nothing is said, nothing is known.
 */
export function requireOperation(operation: Operation, deployments: readonly Deployment[], model: string): void {
  if (operation !== "chat" && operation !== "completion") return;
  let instead: string | null = null;
  for (const deployment of deployments) {
    instead = otherKind(deployment);
    if (instead === null) return;
  }
  if (instead === null) return;
  throw new GatewayError("invalid_request", `The model \`${shortName(model)}\` does not chat, but ${instead}.`, {
    param: "model",
  });
}

function otherKind(deployment: Deployment): string | null {
  const { mode } = deployment.info;
  const own = typeof mode === "string" ? operationOfMode(mode) : null;
  const words = own === null ? undefined : CALLED_BY[own];
  return own !== null && words !== undefined && providerOf(deployment)?.[own] ? words : null;
}
