import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { type Mood, Moody } from "../upstreams/moody.ts";

export interface Balanced {
  readonly app: TestApp;
  readonly clock: SteppedClock;
  readonly upstreams: Readonly<Record<string, Moody>>;
  /** How upstreams answer from now on; without names, all of them. */
  set(mood: Mood, ...ids: string[]): void;
  /** Which deployment answered a call, or the status where none did. */
  served(fields?: object, headers?: Record<string, string>): Promise<string | number>;
  /** How many of so many calls each deployment answered. */
  count(calls: number, fields?: object, headers?: Record<string, string>): Promise<Record<string, number>>;
  post(fields?: object, headers?: Record<string, string>): Promise<Response>;
  /** One call that takes so long to its first byte. */
  slowly(id: string, ms: number, fields?: object): Promise<void>;
  admin(method: string, path: string, json?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Other settings of the router, as after a reload of the file. */
  reload(router: object): void;
  stop(): Promise<void>;
}

interface Entry {
  readonly params?: object;
  readonly info?: object;
  /** `g` unless told. */
  readonly group?: string;
}

/** The program with a group `g` of deployments at upstreams whose moods a test sets, on time that it steps. */
export async function balance(
  entries: Readonly<Record<string, Entry>>,
  router: object,
  databaseUrl: string | null = null,
  general: object = {},
  clock = new SteppedClock(),
): Promise<Balanced> {
  const upstreams = Object.fromEntries(Object.keys(entries).map((id) => [id, new Moody(id)]));
  const model_list = Object.entries(entries).map(([id, { params, info, group = "g" }]) => ({
    model_name: group,
    litellm_params: { model: "hosted_vllm/m", api_base: upstreams[id]?.address, ...params },
    model_info: { id, free: true, ...info },
  }));
  const yaml = (router_settings: object) => JSON.stringify({ model_list, router_settings, general_settings: general });
  const app = await startApp(yaml(router), databaseUrl, clock);
  const post = (fields: object = {}, headers: Record<string, string> = {}) =>
    app.call("/v1/chat/completions", {
      key: MASTER_KEY,
      headers,
      json: { model: "g", messages: [{ role: "user", content: "who?" }], ...fields },
    });
  const served = async (fields: object = {}, headers: Record<string, string> = {}) => {
    const response = await post(fields, headers);
    await response.text();
    return response.status === 200 ? (response.headers.get("x-gw-model-id") ?? "") : response.status;
  };
  return {
    app,
    clock,
    upstreams,
    post,
    served,
    set(mood, ...ids) {
      for (const [id, upstream] of Object.entries(upstreams)) {
        if (ids.length === 0 || ids.includes(id)) upstream.mood = mood;
      }
    },
    async count(calls, fields, headers) {
      const counts: Record<string, number> = {};
      for (let call = 0; call < calls; call++) {
        const id = String(await served(fields, headers));
        counts[id] = (counts[id] ?? 0) + 1;
      }
      return counts;
    },
    async slowly(id, ms, fields = {}) {
      const upstream = upstreams[id];
      if (!upstream) throw new Error(`there is no ${id}`);
      const gate = Promise.withResolvers<void>();
      const came = upstream.calls + 1;
      upstream.mood = { kind: "wait", until: gate.promise };
      const call = served({ ...fields, model: id });
      while (upstream.calls < came) await Bun.sleep(1);
      clock.step(ms);
      gate.resolve();
      await call;
      upstream.mood = { kind: "well" };
    },
    async admin(method, path, json) {
      const response = await app.call(path, { method, key: MASTER_KEY, ...(json === undefined ? {} : { json }) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    reload: (settings) => app.service.apply(configOf(yaml(settings))),
    async stop() {
      await app.close();
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
    },
  };
}
