import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { Moody, WELL } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "m",
        litellm_params: { model: "hosted_vllm/m", api_base: upstream.address },
        model_info: { free: true },
      },
    ],
    general_settings: { header_prefix: "litellm" },
    router_settings: { disable_cooldowns: true },
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const call = (key: string, fields: object, headers: Record<string, string> = {}) =>
  app.call("/v1/chat/completions", {
    key,
    headers,
    json: { model: "m", messages: [{ role: "user", content: "Hello!" }], num_retries: 0, ...fields },
  });

test("a stored prompt is refused by name: without it the model would be asked something else", async () => {
  const response = await call(MASTER_KEY, { prompt_id: "greeting", prompt_variables: { name: "Ann" } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param: "prompt_id" } });
  expect(upstream.calls).toBe(0);
});

const SILENCE = [
  [{ "no-log": true }, {}],
  [{ turn_off_message_logging: true }, {}],
  [{}, { "x-litellm-enable-message-redaction": "true" }],
  [{}, { "x-gw-enable-message-redaction": "True" }],
  [{}, { "x-gw-enable-message-redaction": "1" }],
] as const;

test("who asks that a call is not kept is told where the organization keeps all, and served where it keeps none", async () => {
  const { teams, organizations } = app.storage.accounts;
  const { key, teamId } = await restrictedKey(app, []);
  for (const [fields, headers] of SILENCE) expect((await call(key, fields, headers)).status).toBe(200);
  const { organizationId } = (await teams.find(teamId)) ?? {};
  await organizations.update(organizationId ?? "", { storePrompts: true });
  const { key: kept } = await restrictedKey(app, []);
  for (const [fields, headers] of SILENCE) {
    const response = await call(kept, fields, headers);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("keeps requests and answers");
  }
  expect((await call(kept, { "no-log": false })).status).toBe(200);
  expect((await call(kept, {}, { "x-gw-enable-message-redaction": "False" })).status).toBe(200);
});

test("stream_timeout in the body says how long a stream is waited for, and stays here", async () => {
  expect((await call(MASTER_KEY, { stream_timeout: 30 })).status).toBe(200);
  expect(upstream.seen.stream_timeout).toBeUndefined();
  upstream.mood = { kind: "hang" };
  expect((await call(MASTER_KEY, { stream: true, stream_timeout: 0.01 })).status).toBe(408);
  upstream.mood = WELL;
});
