import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

/** How many prompts each of them was given to count. */
const counted = { eu: 0, us: 0 };
const counter = (id: keyof typeof counted) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      counted[id]++;
      return Response.json({ input_tokens: 7 });
    },
  });
const servers = { eu: counter("eu"), us: counter("us") };
const entry = (id: keyof typeof servers) => ({
  model_name: "claude",
  litellm_params: {
    model: "anthropic/claude-sonnet-4-5",
    api_key: "k",
    api_base: `http://127.0.0.1:${servers[id].port}`,
    region_name: id,
    tags: [id],
  },
  model_info: { id },
});
const app = await startApp(
  JSON.stringify({ model_list: [entry("eu"), entry("us")], router_settings: { enable_tag_filtering: true } }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([servers.eu.stop(true), servers.us.stop(true)]);
});

const json = { model: "claude", messages: [{ role: "user", content: "who is there?" }] };

describe.each([
  ["/v1/messages/count_tokens", 529],
  ["/utils/token_counter?call_endpoint=true", 503],
])("counting by %s", (path, unavailable) => {
  const count = async (headers: Record<string, string> = {}) => {
    Object.assign(counted, { eu: 0, us: 0 });
    const statuses = new Set<number>();
    for (let times = 0; times < 12; times++) {
      statuses.add((await app.call(path, { key: MASTER_KEY, headers, json })).status);
    }
    return [[...statuses], { ...counted }];
  };

  test("keeps a prompt in the region and at the tags of the request", async () => {
    expect(await count({ "x-gw-region": "eu" })).toEqual([[200], { eu: 12, us: 0 }]);
    expect(await count({ "x-gw-region": "moon" })).toEqual([[400], { eu: 0, us: 0 }]);
    expect(await count({ "x-gw-tags": "us" })).toEqual([[200], { eu: 0, us: 12 }]);
  });

  test("gives nothing to a deployment that is switched off", async () => {
    const turn = (id: string, enabled: boolean) =>
      app.call(`/api/admin/deployments/${id}`, { method: "PATCH", key: MASTER_KEY, json: { enabled } });
    await turn("us", false);
    expect(await count()).toEqual([[200], { eu: 12, us: 0 }]);
    await turn("eu", false);
    expect(await count()).toEqual([[unavailable], { eu: 0, us: 0 }]);
    await Promise.all([turn("eu", true), turn("us", true)]);
  });
});
