import type { Clock } from "../../src/lib/clock.ts";
import { newPerson } from "../accounts/people.ts";
import { startApp, type TestApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { CountingUpstream } from "./counting-upstream.ts";

export interface CachedApp {
  readonly app: TestApp;
  readonly upstream: CountingUpstream;
  readonly clock: SteppedClock;
  readonly books: MemoryBooks;
  /** Somebody else's key, of another organization. */
  readonly stranger: string;
  /** Another key of theirs, with limits. */
  newKey(fields: object): Promise<string>;
  post(path: string, json: object, options?: PostOptions): Promise<Response>;
  /** A chat with one message. */
  chat(content: string, fields?: object, options?: PostOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface PostOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** The app with the cache on, before an upstream that counts, on time that stands still. */
export async function startCachedApp(
  params: object = {},
  more: object = {},
  models: readonly object[] = [],
): Promise<CachedApp> {
  const upstream = new CountingUpstream();
  const clock = new SteppedClock();
  const books = new MemoryBooks();
  const entry = (model_name: string, model = "hosted_vllm/m") => ({
    model_name,
    litellm_params: { model, api_base: upstream.url, api_key: "sk-upstream" },
    model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 },
  });
  const settings = { cache: true, cache_params: params, num_retries: 0 };
  const app = await startApp(
    JSON.stringify({
      model_list: [entry("counted"), entry("other"), entry("openai", "openai/m"), ...models],
      litellm_settings: settings,
      router_settings: { model_group_alias: { nickname: "counted" }, disable_cooldowns: true },
      ...more,
    }),
    null,
    clock as Clock,
    { ledger: books },
  );
  const person = await newPerson(app);
  const team: { id: string } = (await person.send("POST", "/api/gw/teams", { name: "Theirs" })).body;
  const newKey = async (fields: object): Promise<string> => {
    const body = { name: crypto.randomUUID(), team_id: team.id, ...fields };
    const made: { key?: string } = (await person.send("POST", "/api/gw/api-keys", body)).body;
    if (made.key === undefined) throw new Error(JSON.stringify({ team, made }));
    return made.key;
  };
  const demo = app.first.demoKey ?? "";
  const post = (path: string, json: object, { key = demo, headers, signal }: PostOptions = {}) =>
    app.call(path, { key, json, ...(headers ? { headers } : {}), ...(signal ? { signal } : {}) });
  return {
    app,
    upstream,
    clock,
    books,
    stranger: await newKey({}),
    newKey,
    post,
    chat: (content, fields = {}, options = {}) =>
      post("/v1/chat/completions", { model: "counted", messages: [{ role: "user", content }], ...fields }, options),
    async close() {
      await app.close();
      upstream.stop();
    },
  };
}

/** Whether an answer came out of the cache, and what it says. */
export async function look(response: Response): Promise<{ hit: boolean; key: string | null; text: string }> {
  const hit = response.headers.get("x-gw-cache-hit") === "true";
  return { hit, key: response.headers.get("x-gw-cache-key"), text: await response.text() };
}
