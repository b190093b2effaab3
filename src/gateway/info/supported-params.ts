import { modeOf } from "../../catalog/model-mode.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { makesImages, type Operation } from "../../contract/params.ts";
import { modelBehind } from "../../contract/upstream-form.ts";
import { providerOf } from "../../providers/registry.ts";

/** The operation by which a model of a mode is called. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["chat", "chat"],
  ["responses", "chat"],
  ["completion", "completion"],
  ["embedding", "embedding"],
  ["image_generation", "image"],
  ["audio_speech", "speech"],
  ["audio_transcription", "transcription"],
  ["moderation", "moderation"],
  ["rerank", "rerank"],
  ["realtime", "realtime"],
]);

export const operationOfMode = (mode: string): Operation | null => OPERATIONS.get(mode) ?? null;

type Described = Pick<Deployment, "provider" | "upstreamModel" | "form" | "info">;

/** What the operator of a deployment says that its model takes; null where nothing is said. */
export function statedParams({ supported_openai_params: own }: Deployment["info"]): readonly string[] | null {
  return Array.isArray(own) ? own.filter((name) => typeof name === "string") : null;
}

/** The OpenAI parameters that a deployment honours; null where its provider is not served or has no such operation. */
export function supportedParams(deployment: Described): readonly string[] | null {
  const { provider, upstreamModel, info } = deployment;
  const stated = statedParams(info);
  if (stated) return stated;
  const mode = typeof info.mode === "string" ? info.mode : modeOf(provider, upstreamModel);
  const operation = OPERATIONS.get(mode);
  const served = providerOf(deployment);
  // A text completion of a provider that has none goes as a chat.
  if (operation === undefined || !served || !(served[operation] || (operation === "completion" && served.chat)))
    return null;
  const params = served.supportedParams(operation, modelBehind(deployment));
  return makesImages(operation) ? params.filter((name) => !FOR_STREAMED_PICTURES.has(name)) : params;
}

/** Pictures are answered whole, whoever draws them. */
const FOR_STREAMED_PICTURES: ReadonlySet<string> = new Set(["stream", "partial_images"]);

/** What all of them honour, so that it does not matter which one serves a call. */
export function commonParams(deployments: readonly Described[]): string[] | null {
  const [first, ...others] = deployments.flatMap((deployment) => {
    const params = supportedParams(deployment);
    return params ? [new Set(params)] : [];
  });
  return first ? [...first].filter((name) => others.every((other) => other.has(name))) : null;
}
