import { afterAll, expect, test } from "bun:test";
import { toFile } from "openai";
import { startApp } from "../app.ts";
import { newCustomer } from "../assistants/clients.ts";

/** Texts in the order in which their vectors are asked for; none is answered before `go`. */
const asked: string[] = [];
const go = Promise.withResolvers<void>();
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { input } = (await request.json()) as { input: string[] };
    asked.push(...input);
    await go.promise;
    const data = input.map((_, index) => ({ object: "embedding", index, embedding: [1, 2, 3] }));
    return Response.json({ object: "list", model: "e", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  },
});
afterAll(() => upstream.stop(true));

test("one file does not wait behind all that another organization has added before", async () => {
  const app = await startApp(`
model_list:
  - model_name: vectors
    litellm_params: { model: openai/e, api_base: "http://127.0.0.1:${upstream.port}/v1", api_key: sk-up, input_cost_per_token: 0, output_cost_per_token: 0 }
    model_info: { mode: embedding }
`);
  try {
    const [many, one] = [await newCustomer(app), await newCustomer(app)];
    const upload = async ({ client }: typeof many, name: string) =>
      (await client.files.create({ file: await toFile(Buffer.from("A heron."), name), purpose: "assistants" })).id;
    const file_ids: string[] = [];
    for (let at = 0; at < 20; at++) file_ids.push(await upload(many, `many-${at}.txt`));
    const first = await many.client.vectorStores.create({});
    await many.client.vectorStores.fileBatches.create(first.id, { file_ids });
    // An organization has one file read at a time.
    while (asked.length < 1) await Bun.sleep(5);
    const second = await one.client.vectorStores.create({});
    await one.client.vectorStores.files.create(second.id, { file_id: await upload(one, "one.txt") });
    go.resolve();
    await app.service.indexer.idle();
    expect(asked).toHaveLength(21);
    expect(asked.findIndex((text) => text.startsWith("one.txt"))).toBe(1);
  } finally {
    go.resolve();
    await app.close();
  }
});
