import { afterAll, expect, test } from "bun:test";
import { RealtimeClient, refusal } from "./client.ts";
import { realtimeWorld } from "./world.ts";

const world = await realtimeWorld({
  model_list: [{ model_name: "voice", litellm_params: { model: "echo/realtime" }, model_info: { free: true } }],
  general_settings: { trusted_proxies: ["127.0.0.1", "::1"] },
});
afterAll(() => world.close());

const headersOf = (key: string, address: string) => ({ authorization: `Bearer ${key}`, "x-forwarded-for": address });

test("behind a proxy that is trusted a session opens, for the address that the proxy tells", async () => {
  const { key } = await world.newKey({ allowedIps: ["203.0.113.9"] });
  const client = await RealtimeClient.open(world.address("voice"), headersOf(key, "203.0.113.9"));
  expect((await client.next("session.created")).session).toMatchObject({ model: "voice" });
  await client.close();
  expect(await refusal(world.address("voice"), headersOf(key, "203.0.113.10"))).toMatchObject({ status: 403 });
});
