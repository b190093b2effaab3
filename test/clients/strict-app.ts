import { type CallInit, startApp } from "../app.ts";
import type { Reply, Seen } from "../upstreams/script.ts";
import { startStrictUpstreams } from "./strict-upstreams.ts";

/** The app with a strict upstream for each API. `reply` is what they answer with, `seen` what they were sent last. */
export async function startStrictApp() {
  const state = {
    reply: (_: Seen): Reply => ({ text: "hello" }),
    seen: {} as Readonly<Record<string, unknown>>,
  };
  const upstreams = startStrictUpstreams({
    reply(given) {
      state.seen = given.body;
      return state.reply(given);
    },
  });
  const app = await startApp(upstreams.yaml);
  const key = app.first.demoKey ?? "";
  return Object.assign(state, {
    app,
    key,
    post: (path: string, json: object, init: CallInit = {}) => app.call(path, { key, json, ...init }),
    async close() {
      await app.close();
      await upstreams.stop();
    },
  });
}
