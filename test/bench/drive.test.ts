import { expect, test } from "bun:test";
import { answersOf } from "../../bench/answers.ts";
import { freePort } from "../../bench/free-port.ts";
import { type DriveOrder, drive, type Planned } from "../../bench/load/drive.ts";

const answers = answersOf();
const ask = (path: string, check: string, more: Partial<Planned> = {}): Planned => ({
  text: `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}`,
  check,
  ...more,
});

/** What a server makes of an order. */
async function driveAt(
  serve: (request: Request) => Response | Promise<Response>,
  order: Partial<DriveOrder> & Pick<DriveOrder, "requests">,
) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: serve });
  try {
    return await drive({
      port: server.port ?? 0,
      connections: 2,
      answers: 10,
      seconds: 20,
      perSecond: null,
      ...order,
    });
  } finally {
    await server.stop(true);
  }
}

test("every answer of a mix is held against what its own kind must hold", async () => {
  const requests = [ask("/chat", "chat"), ask("/stream", "stream")];
  const right = await driveAt(
    ({ url }) => new Response(url.endsWith("/chat") ? answers.openAi : answers.openAiStream),
    { requests },
  );
  expect([right.answered, right.wrong]).toEqual([10, 0]);
  const swapped = await driveAt(() => new Response(answers.openAi), { requests });
  expect(swapped.wrong).toBeGreaterThan(0);
});

test("a call that had to wait for a free connection counts from when it was due", async () => {
  const { latencies } = await driveAt(
    async () => {
      await Bun.sleep(100);
      return new Response(answers.openAi);
    },
    { requests: [ask("/", "chat")], connections: 1, perSecond: 1_000, answers: 4 },
  );
  // The fourth was due after three milliseconds and could not be sent before three others had been answered.
  expect(latencies.at(-1)).toBeGreaterThan(3 * 100_000);
});

test("a client that leaves in mid-answer is neither an answer nor a fault, and its place is taken", async () => {
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
    ({ url }) => (url.endsWith("/endless") ? endless() : new Response(answers.openAi)),
    { requests: [ask("/endless", "stream", { leaveAfterBytes: 1_000 }), ask("/", "chat")], answers: 6 },
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

test("where nothing listens, that is the fault, not the end of the run", async () => {
  const port = await freePort();
  const order = { port, connections: 2, answers: 1, seconds: 1, perSecond: null, requests: [ask("/", "chat")] };
  expect(await drive(order)).toMatchObject({ answered: 0, broken: 1, firstFault: "nothing listens there" });
});
