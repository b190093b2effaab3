import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const ANSWER = Buffer.from(
  JSON.stringify({
    object: "list",
    data: [{ object: "embedding", index: 0, embedding: Array.from({ length: 300_000 }, (_, index) => index / 8) }],
    model: "theirs",
    usage: { prompt_tokens: 3, total_tokens: 3 },
  }),
);
let [sent, connections] = [ANSWER.length, 0];
/** Says how long its answer is, sends as much of it as a test wants, and hangs up. */
const upstream = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open() {
      connections++;
    },
    data(socket) {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\nconnection: close\r\n\r\n`;
      let rest: Uint8Array = Buffer.concat([Buffer.from(head), ANSWER.subarray(0, sent)]);
      const write = (): void => {
        rest = rest.subarray(socket.write(rest));
        if (rest.length === 0) socket.end();
        else setTimeout(write, 1);
      };
      write();
    },
  },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "long",
        litellm_params: {
          model: "hosted_vllm/m",
          api_base: `http://127.0.0.1:${upstream.port}/v1`,
          api_key: "sk-up",
          input_cost_per_token: 0.000001,
        },
      },
    ],
    router_settings: { num_retries: 1 },
  }),
);
afterAll(() => Promise.all([app.close(), upstream.stop(true)]));

test("an answer of megabytes is the provider's, but for the name of the model", async () => {
  sent = ANSWER.length;
  const response = await app.call("/v1/embeddings", { key: MASTER_KEY, json: { model: "long", input: "hi" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-gw-response-cost")).toBe("0.000003");
  const text = await response.text();
  expect(text === ANSWER.toString().replace('"theirs"', '"long"')).toBe(true);
});

test("one that breaks off is tried again, and is a failure of the provider that costs nothing", async () => {
  sent = ANSWER.length - 500_000;
  connections = 0;
  const response = await app.call("/v1/embeddings", { key: MASTER_KEY, json: { model: "long", input: "hi" } });
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
  expect(response.headers.get("x-gw-response-cost") ?? "0").toBe("0");
  expect(connections).toBe(2);
});
