import type { Catalog } from "../../catalog/catalog.ts";
import { modeOf } from "../../catalog/model-mode.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { connectionReason } from "../../providers/connection-reason.ts";
import { encodeProbe } from "../../providers/probe.ts";
import type { Transport } from "../../providers/transport.ts";
import { SocketRefused } from "../../providers/upstream-socket.ts";
import { readFailure } from "../attempts/upstream-request.ts";
import { refusalOf } from "../interfaces/realtime/refusal-of.ts";
import { maskText, secretsOf } from "./mask-secrets.ts";

export interface HealthDeps {
  readonly catalog: () => Catalog;
  readonly transport: Transport;
  readonly env: (name: string) => string | undefined;
}

export interface DeploymentHealth {
  readonly model_id: string;
  readonly model_name: string;
  readonly provider: string;
  readonly model: string;
  readonly duration_ms: number;
  readonly error?: string;
  /** What kind of failure it was. */
  readonly kind?: ErrorKind;
}

const PROBE_TIMEOUT_MS = 10_000;
/** Probes run side by side, but not all at once: an upstream should not see a burst because someone looked. */
const AT_ONCE = 8;

/** Calls each deployment once with the smallest request that its kind of model takes. */
export async function checkDeployments(
  deps: HealthDeps,
  only: string | null,
  signal: AbortSignal,
): Promise<DeploymentHealth[]> {
  const waiting = [...(only === null ? deps.catalog().deployments : deps.catalog().resolve(only))];
  if (only !== null && waiting.length === 0)
    throw new GatewayError("model_not_found", `There is no model \`${only}\`.`);
  const results: DeploymentHealth[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      results.push(await checkDeployment(deps, next, signal));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.length) }, worker));
  return results.sort((a, b) => a.model_name.localeCompare(b.model_name) || a.model_id.localeCompare(b.model_id));
}

/** Calls one deployment once. What an upstream says of it is told without the deployment's secrets. */
export async function checkDeployment(
  deps: Pick<HealthDeps, "transport" | "env">,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<DeploymentHealth> {
  const startedAt = performance.now();
  const error = await probe(deps, deployment, signal).then(
    () => undefined,
    (thrown) => (thrown instanceof GatewayError ? thrown : new GatewayError("internal", "The check failed.")),
  );
  return {
    model_id: deployment.id,
    model_name: deployment.group,
    provider: deployment.provider,
    model: deployment.upstreamModel,
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(error === undefined ? {} : { error: maskText(inFull(error), secretsOf(deployment)), kind: error.kind }),
  };
}

/** With the reason behind it, which callers are not told. */
function inFull({ kind, message, cause }: GatewayError): string {
  const reason = kind === "connection" ? connectionReason(cause) : null;
  return reason === null ? message : `${message.replace(/\.$/, "")}: ${reason}.`;
}

/** What the operator says that the model is for, else what its name says. */
const modeFor = ({ info, provider, upstreamModel }: Deployment): string =>
  typeof info.mode === "string" ? info.mode : modeOf(provider, upstreamModel);

async function probe(
  deps: Pick<HealthDeps, "transport" | "env">,
  deployment: Deployment,
  client: AbortSignal,
): Promise<void> {
  const mode = modeFor(deployment);
  const { request, provider } = encodeProbe({ ...deployment, env: deps.env }, mode);
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const signal = AbortSignal.any([client, timeout]);
  try {
    if (mode === "realtime") {
      // A session that nobody speaks in costs nothing.
      (await deps.transport.open(request, signal)).close(1000, "");
      return;
    }
    const response = await deps.transport.send(request, signal);
    if (!response.ok) throw await readFailure(response, provider, null, null);
    await response.arrayBuffer();
  } catch (thrown) {
    if (timeout.aborted) throw new GatewayError("timeout", `No answer within ${PROBE_TIMEOUT_MS / 1000} seconds.`);
    throw thrown instanceof SocketRefused ? refusalOf(thrown, provider) : thrown;
  }
}
