import Type from "typebox";
import type { KeyCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { RouterGeneration } from "../../contract/openrouter.ts";
import { shownModel } from "../../contract/shown-model.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { sleep } from "../../lib/sleep.ts";
import { findProvider } from "../../providers/registry.ts";
import type { LoggedCall, UsageStore } from "../../usage/store.ts";
import { usd } from "../spend/usd.ts";
import { ROUTER_BASE } from "./under-api.ts";

type Usage = Pick<UsageStore, "find" | "findAnswered">;

/** No index has the ids of upstreams; programs ask for a call that they have just made. */
const AMONG = 10_000;

export const generation = ({ usage }: { readonly usage: Usage }) =>
  route({
    method: "GET",
    paths: [`${ROUTER_BASE}/generation`],
    tag: "OpenRouter",
    summary: "Show what became of a call",
    description:
      "By the `id` of its answer, or by its `x-request-id`, which a response needs. A key sees its own calls, the master key " +
      `all of them. The id that a provider gave is looked for among the newest ${AMONG} of them. One that is not in the log yet is ` +
      "waited for, for a second.",
    auth: "key",
    query: Type.Object({ id: Type.String({ minLength: 1, maxLength: 256 }) }),
    success: Type.Object({ data: RouterGeneration }),
    errors: ["not_found"],
    async handle({ caller, query, request }) {
      const call = await findPatiently(usage, caller, query.id, request.signal);
      if (!call) throw new GatewayError("not_found", NO_SUCH_CALL, { param: "id" });
      return json({ data: view(query.id, call) });
    },
  });

const NO_SUCH_CALL =
  "There is no such call of this key. One that has just been answered may take a second more to be in the log.";

/** Programs ask as soon as they have the answer, and calls come into the log in batches, of whichever process had them. */
const WAITS_MS = [250, 750];

async function findPatiently(
  usage: Usage,
  caller: KeyCaller,
  id: string,
  signal: AbortSignal,
): Promise<LoggedCall | null> {
  let found = await findCall(usage, caller, id);
  for (const ms of WAITS_MS) {
    if (found) break;
    await sleep(ms, signal);
    found = await findCall(usage, caller, id);
  }
  return found;
}

/** Where the id of an answer is ours, it ends with that of the call. */
const OUR_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The call with this id, or whose response has it: ours behind any prefix, or a provider's among the newest calls. */
export async function findCall(
  usage: Usage,
  { master, keyId }: Pick<KeyCaller, "master" | "keyId">,
  id: string,
): Promise<LoggedCall | null> {
  const [ours] = OUR_ID.exec(id) ?? [];
  const own = ours === undefined ? null : await usage.find(ours);
  if (own && (master || own.keyId === keyId)) return own;
  return usage.findAnswered(master ? {} : { keyId }, namesOf(id), AMONG);
}

/** What a chat was called that was told as a text completion or as a message. */
function namesOf(id: string): readonly string[] {
  const bare = id.replace(/^(?:cmpl-|msg_|resp_)/, "");
  return [...new Set([id, bare, `chatcmpl-${bare}`])];
}

const API_TYPES: Readonly<Record<string, string>> = {
  chat: "completions",
  completion: "completions",
  embedding: "embeddings",
};

const view = (id: string, call: LoggedCall) => ({
  id,
  upstream_id: call.upstreamId,
  total_cost: usd(call.cost),
  usage: usd(call.cost),
  upstream_inference_cost: null,
  cache_discount: null,
  created_at: isoTime(call.at),
  model: shownModel(call),
  provider_name: call.provider === null ? null : (findProvider(call.provider)?.title ?? call.provider),
  api_type: API_TYPES[call.operation] ?? call.operation,
  is_byok: false,
  streamed: call.stream,
  cancelled: call.status === "cancelled",
  latency: call.firstByteMs,
  generation_time: call.stream ? call.latencyMs - (call.firstByteMs ?? 0) : call.latencyMs,
  moderation_latency: null,
  finish_reason: null,
  native_finish_reason: null,
  tokens_prompt: call.promptTokens,
  tokens_completion: call.completionTokens,
  native_tokens_prompt: call.promptTokens,
  native_tokens_completion: call.completionTokens,
  native_tokens_reasoning: call.reasoningTokens,
  native_tokens_cached: call.cachedTokens,
  num_media_prompt: null,
  num_media_completion: call.images,
  num_search_results: null,
  external_user: call.endUser,
  origin: "",
});
