import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import type { Response as Answer, ResponseStreamEvent } from "openai/resources/responses/responses";
import { HeldUpstream } from "../upstreams/held.ts";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 180_000;
const folder = newFolder();
const upstream = new HeldUpstream();
let turnpike: Turnpike | null = null;
let apiKey = "";

afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop();
  folder.remove();
});

const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
writeFileSync(
  join(folder.path, "turnpike.yaml"),
  `model_list:
  - model_name: m
    litellm_params: { model: openai/m, api_base: "${upstream.url}", api_key: sk-up, ${prices} }
general_settings: { log_level: warn }
`,
);

/** Each call has a connection of its own, so that it reaches whichever worker is there. */
async function open(args: string[] = []): Promise<OpenAI> {
  turnpike = await startTurnpike(folder.path, {}, args);
  apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? apiKey;
  const defaultHeaders = { connection: "close" };
  return new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0, defaultHeaders });
}

async function poll(client: OpenAI, { id }: Pick<Answer, "id">): Promise<Answer> {
  for (;;) {
    const found = await client.responses.retrieve(id);
    if (found.status !== "queued" && found.status !== "in_progress") return found;
    await Bun.sleep(50);
  }
}

const begin = (client: OpenAI, input: string): Promise<Answer> =>
  client.responses.create({ model: "m", input, background: true });

test(
  "the official client polls, streams, reads on and cancels at any worker, and a stop waits for what is under way",
  async () => {
    const client = await open(["--workers", "2"]);
    const polled = await begin(client, "poll");
    expect(polled.status).toBe("queued");
    (await upstream.asked("poll")).end("Polled.");
    expect(await poll(client, polled)).toMatchObject({ status: "completed", output_text: "Polled." });

    const heard: ResponseStreamEvent[] = [];
    const stream = await client.responses.create({ model: "m", input: "story", background: true, stream: true });
    for await (const event of stream) {
      heard.push(event);
      if (event.type === "response.in_progress") (await upstream.asked("story")).say("Once ");
      if (event.type === "response.output_text.delta") break;
    }
    const { id } = (heard[0] as { response: Answer }).response;
    const story = await upstream.asked("story");
    const starting_after = heard.at(-1)?.sequence_number ?? -1;
    // Several at once, so that some of them reach the worker that does not carry it out.
    const readers = Array.from({ length: 6 }, async () => {
      const rest: ResponseStreamEvent[] = [];
      for await (const event of await client.responses.retrieve(id, { stream: true, starting_after })) rest.push(event);
      return rest;
    });
    story.say("upon ");
    story.end("a time.");
    for (const rest of await Promise.all(readers)) {
      const joined = [...heard, ...rest];
      expect(joined.map(({ sequence_number }) => sequence_number)).toEqual(joined.map((_, at) => at));
      const deltas = joined.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
      expect(deltas.join("")).toBe("Once upon a time.");
      expect(joined.at(-1)?.type).toBe("response.completed");
    }

    for (let at = 0; at < 6; at++) {
      const cancelled = await begin(client, `cancel ${at}`);
      const { signal } = await upstream.asked(`cancel ${at}`);
      const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
      const answers = [await client.responses.cancel(cancelled.id), await client.responses.cancel(cancelled.id)];
      expect(answers.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
      await left;
    }

    const last = await begin(client, "last");
    const call = await upstream.asked("last");
    turnpike?.kill("SIGTERM");
    while (
      await fetch(`${turnpike?.url}/health/readiness`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      await Bun.sleep(20);
    call.end("Still said.");
    expect(await turnpike?.exited).toBe(0);
    const later = await open();
    expect(await later.responses.retrieve(last.id)).toMatchObject({ status: "completed", output_text: "Still said." });
    turnpike?.kill("SIGTERM");
    await turnpike?.exited;
  },
  SLOW_MS,
);

test(
  "a process that is killed leaves none under way: it has failed, was asked for once, and the books agree",
  async () => {
    let client = await open();
    const silent = await begin(client, "silent");
    await upstream.asked("silent");
    const stream = await client.responses.create({ model: "m", input: "spoken", background: true, stream: true });
    const heard: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      heard.push(event);
      if (event.type === "response.in_progress") (await upstream.asked("spoken")).say("Half");
      if (event.type === "response.output_text.delta") break;
    }
    turnpike?.kill("SIGKILL");
    await turnpike?.exited;

    client = await open(["--workers", "2"]);
    const { id } = (heard[0] as { response: Answer }).response;
    const starting_after = heard.at(-1)?.sequence_number ?? -1;
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after })) heard.push(event);
    expect(heard.at(-1)).toMatchObject({ type: "response.failed", response: { id, status: "failed" } });
    expect(heard.map(({ sequence_number }) => sequence_number)).toEqual(heard.map((_, at) => at));
    for (const left of [silent, { id }]) {
      const failed = await poll(client, left);
      expect(failed).toMatchObject({ status: "failed", error: { code: "server_error" } });
      expect(failed.error?.message).toContain("not asked for again");
    }
    expect([upstream.times("silent"), upstream.times("spoken")]).toEqual([1, 1]);
    turnpike?.kill("SIGTERM");
    await turnpike?.exited;
    const verified = runTurnpike(folder.path, ["ledger", "verify"]);
    expect([await verified.exited, verified.output().includes("differ")]).toEqual([0, false]);
  },
  SLOW_MS,
);
