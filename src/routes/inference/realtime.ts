import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { ClientSecretAnswer, ClientSecretRequest, RealtimeQuery } from "../../contract/realtime.ts";
import type { GatewayDeps, InferenceCall } from "../../gateway/call/gateway.ts";
import { rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import type { ClientSecret, ClientSecrets } from "../../gateway/interfaces/realtime/client-secrets.ts";
import { openSession, refuseGuarded } from "../../gateway/interfaces/realtime/open-session.ts";
import type { RealtimeSessions } from "../../gateway/interfaces/realtime/sessions.ts";
import { resolveForCaller } from "../../gateway/pipeline/authorize-model.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { speaksBeta, spokenProtocol } from "../../http/socket-key.ts";
import { newNamedId } from "../../lib/ids.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { modelName } from "./model-name.ts";
import { openaiPaths } from "./openai-paths.ts";

export interface RealtimeDeps {
  readonly gateway: GatewayDeps;
  readonly sessions: RealtimeSessions;
  readonly secrets: ClientSecrets;
  /** The secret that a WebSocket was opened with; null where that was a key. */
  readonly secretOf: (headers: Headers) => ClientSecret | null;
  /** The caller of a request again, whenever it is asked for: what has become of the key since holds. */
  readonly renewal: (
    headers: Headers,
    caller: KeyCaller,
    address: string | null,
  ) => () => KeyCaller | Promise<KeyCaller>;
}

const SECRET_SECONDS = 600;

/** Sessions, and the secrets that browsers open them with. */
export const realtimeRoutes = (deps: RealtimeDeps): Route[] =>
  [realtime(deps), clientSecrets(deps)].map((route) => ({ ...route, sheddable: true }));

const realtime = ({ gateway, sessions, secretOf, renewal }: RealtimeDeps) =>
  route({
    method: "GET",
    paths: [...openaiPaths("/realtime"), "/openai/realtime"],
    tag: "Inference",
    summary: "Open a realtime session",
    description:
      "Follows OpenAI's Realtime interface over a WebSocket; the key may also be offered as the sub-protocol " +
      "`openai-insecure-api-key.<key>`. What is refused is answered before the WebSocket is opened.",
    auth: "key",
    socket: true,
    query: RealtimeQuery,
    successStatus: 101,
    errors: INFERENCE_ERRORS,
    handle(context) {
      const { connection, request, caller, query } = context;
      const { headers } = request;
      if (!connection.upgrade || !isOpening(request)) {
        throw new GatewayError("invalid_request", "This address is for WebSockets: open one with `wss://`.");
      }
      const secret = secretOf(headers);
      const named = query.model ?? query.deployment;
      if (secret && named !== undefined && named !== secret.model) {
        throw new GatewayError("permission", "This secret is for another model.", { param: "model" });
      }
      const call = callOf(context, modelName(named, secret?.model));
      const protocol = spokenProtocol(headers);
      return openSession(gateway, sessions, {
        call: secret ? unsteered(call) : call,
        config: secret && Object.keys(secret.session).length > 0 ? { type: "realtime", ...secret.session } : null,
        endUser: secret?.endUser ?? null,
        isBeta: speaksBeta(headers),
        accept: (ears, told) =>
          connection.upgrade?.(ears, { ...told, ...(protocol !== null && { "sec-websocket-protocol": protocol }) }) ??
          false,
        renew: renewal(new Headers(headers), caller, connection.remoteAddress),
      });
    },
  });

/** What the runtime makes a WebSocket of: where it would not, no upstream is to hear of it. */
const isOpening = ({ method, headers }: Request): boolean =>
  method === "GET" &&
  headers.get("upgrade")?.toLowerCase() === "websocket" &&
  headers.get("sec-websocket-version") === "13" &&
  NONCE.test(headers.get("sec-websocket-key") ?? "");
const NONCE = /^[A-Za-z0-9+/]{22}==$/;

/** Who has a secret says nothing about the call beyond what it was made with: for whom it is, above all. */
const unsteered = (call: InferenceCall): InferenceCall => ({
  ...call,
  source: { ...call.source, tags: null },
  header: () => null,
});

const clientSecrets = ({ gateway, secrets }: RealtimeDeps) =>
  route({
    method: "POST",
    paths: openaiPaths("/realtime/client_secrets"),
    tag: "Inference",
    summary: "Make a secret for a realtime session",
    description:
      "A browser opens sessions with it, as the key and with the settings that it was made with, for a short time.",
    auth: "key",
    body: ClientSecretRequest,
    success: ClientSecretAnswer,
    errors: ["invalid_request", "permission", "team_blocked", "model_not_found"],
    handle(context) {
      const { session: given = {}, expires_after } = context.body;
      const { model: named, type: _, ...session } = given;
      const model = modelName(named, findGroupOfMode(gateway.catalog().deployments, "realtime"));
      const call = callOf(context, model);
      resolveForCaller(gateway.catalog(), call.caller, model);
      refuseGuarded(gateway, call);
      for (const one of [context.body, given]) rejectRequestGuardrails(one, "Guardrails cannot look into a session");
      const expiresAtMs = gateway.clock.nowMs() + (expires_after?.seconds ?? SECRET_SECONDS) * 1000;
      const endUser = call.header("x-gw-customer-id") ?? call.header("x-gw-end-user-id");
      const value = secrets.make({ keyId: call.caller.keyId, model, session, endUser, expiresAtMs });
      const shown = { ...session, type: "realtime", object: "realtime.session", id: newNamedId("sess_"), model };
      return json({ value, expires_at: Math.floor(expiresAtMs / 1000), session: shown });
    },
  });
