import { expect, test } from "bun:test";
import { type DriveOrder, drive, type Planned } from "../../bench/load/drive.ts";
import { buildResponses } from "../../bench/responses.ts";

const responses = buildResponses();
const ask = (path: string, check: string, more: Partial<Planned> = {}): Planned => ({
  text: `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}`,
  check,
  ...more,
});

/** Drives a server with an order. */
async function driveAt(
  serve: (request: Request) => Response | Promise<Response>,
  order: Partial<DriveOrder> & Pick<DriveOrder, "requests">,
) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: serve });
  try {
    return await drive({
      port: server.port ?? 0,
      connections: 2,
      calls: 10,
      seconds: 20,
      perSecond: null,
      ...order,
    });
  } finally {
    await server.stop(true);
  }
}

test("each response of a mix is checked by the check of its kind", async () => {
  const requests = [ask("/chat", "chat"), ask("/stream", "stream")];
  const right = await driveAt(
    ({ url }) => new Response(url.endsWith("/chat") ? responses.openAi : responses.openAiStream),
    { requests },
  );
  expect([right.answered, right.wrong]).toEqual([10, 0]);
  const swapped = await driveAt(() => new Response(responses.openAi), { requests });
  expect(swapped.wrong).toBeGreaterThan(0);
});

test("a call that had to wait for a free connection counts from when it was due", async () => {
  const { latencies } = await driveAt(
    async () => {
      await Bun.sleep(100);
      return new Response(responses.openAi);
    },
    { requests: [ask("/", "chat")], connections: 1, perSecond: 1_000, calls: 4 },
  );
  // The fourth was due after three milliseconds and could not be sent before three others had been answered.
  expect(latencies.at(-1)).toBeGreaterThan(3 * 100_000);
});

test("a client that leaves in mid-response counts as neither a response nor a fault, and is replaced", async () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(1);
          controller.enqueue(new Uint8Array(100));
        },
      }),
    );
  const { answered, left, broken, wrong } = await driveAt(
    ({ url }) => (url.endsWith("/endless") ? endless() : new Response(responses.openAi)),
    { requests: [ask("/endless", "stream", { leaveAfterBytes: 1_000 }), ask("/", "chat")], calls: 6 },
  );
  expect({ answered, broken, wrong }).toEqual({ answered: 6, broken: 0, wrong: 0 });
  expect(left).toBeGreaterThan(3);
});

test("a refusal is counted as one", async () => {
  const { refused, answered, firstFault } = await driveAt(() => new Response("no", { status: 429 }), {
    requests: [ask("/", "chat")],
  });
  expect([refused, answered, firstFault]).toEqual([10, 0, "status 429: no"]);
});

test("a port without a server is reported as the fault, and does not end the run", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = server.port ?? 0;
  await server.stop(true);
  const order = { port, connections: 2, calls: 1, seconds: 1, perSecond: null, requests: [ask("/", "chat")] };
  expect(await drive(order)).toMatchObject({ answered: 0, broken: 1, firstFault: "nothing listens there" });
});
