import { afterAll, expect, test } from "bun:test";
import { startApp } from "../app.ts";

let hung = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { input } = (await request.json()) as { input: string[] };
    if (new URL(request.url).pathname.startsWith("/hangs")) {
      hung++;
      return new Promise<Response>(() => undefined);
    }
    const results = input.map((text) => ({ flagged: text.includes("falcon"), categories: {} }));
    return Response.json({ id: "m", model: "judge", results });
  },
});
const judge = (place: string, order: number) => ({
  model_name: "judge",
  litellm_params: {
    model: "openai/judge",
    api_base: `http://127.0.0.1:${server.port}/${place}`,
    api_key: "upstream-secret-0123456789",
    order,
  },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [judge("hangs", 1), judge("answers", 2), { model_name: "m", litellm_params: { model: "echo/chat" } }],
    router_settings: { allowed_fails: 0 },
    guardrails: [
      {
        guardrail_name: "moderated",
        litellm_params: {
          guardrail: "moderation",
          mode: "pre_call",
          model: "judge",
          default_on: true,
          timeout: 3,
        },
      },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await server.stop(true);
});

test("a deployment of the model that judges rests when it hangs, as any other does", async () => {
  const ask = (content: string) =>
    app.call("/v1/chat/completions", {
      key: app.first.demoKey ?? "",
      json: { model: "m", messages: [{ role: "user", content }] },
    });
  // The first to ask finds out, in time to ask another one.
  for (let times = 0; times < 3; times++) expect((await ask("a falcon")).status).toBe(400);
  expect(hung).toBe(1);
});
