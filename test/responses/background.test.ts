// Responses that are carried out behind their calls.

import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import type { Response as Answer, ResponseStreamEvent } from "openai/resources/responses/responses";
import { startAppOn } from "../accounts/people.ts";
import { all, newCustomer, refusal } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";
import { HeldUpstream } from "../upstreams/held.ts";

const upstream = new HeldUpstream();
afterAll(() => upstream.stop());
const CONFIG = JSON.stringify({
  model_list: [
    {
      model_name: "m",
      litellm_params: { model: "openai/m", api_base: upstream.url, api_key: "k", max_retries: 0 },
      model_info: { input_cost_per_token: "0.001", output_cost_per_token: "0.001" },
    },
  ],
  guardrails: [
    { guardrail_name: "words", litellm_params: { guardrail: "word_list", mode: "pre_call", words: ["falcon"] } },
  ],
});

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`responses in the background on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, CONFIG);
    afterAll(() => app.close());
    const { client, key, person, keyId } = await newCustomer(app);
    const { store, desk } = { store: app.storage.background, desk: app.service.responses };
    const said = (name: string) => `${name} on ${kind}`;
    const begin = (input: string, fields: object = {}): Promise<Answer> =>
      client.responses.create({ model: "m", input, background: true, stream: false, ...fields });
    const stream = async (input: string): Promise<AsyncIterable<ResponseStreamEvent>> =>
      client.responses.create({ model: "m", input, background: true, stream: true });
    const again = async (id: string, query: object = {}): Promise<AsyncIterable<ResponseStreamEvent>> =>
      client.responses.retrieve(id, { stream: true, ...query } as { stream: true });
    const ended = async (id: string): Promise<Answer> => {
      await desk.idle();
      return client.responses.retrieve(id);
    };
    /** As if the process that has it were gone. */
    const abandon = (id: string, status: "queued" | "in_progress") =>
      store.change(id, (work, answer) => ({
        work: { ...work, status, leaseOwner: "gone", leaseUntil: 0 },
        answer: { ...answer, status },
        events: "",
      }));

    test("are answered at once, polled while they run, and charged as any call of the key", async () => {
      const { id, status, background, output } = await begin(said("a poem"), { metadata: { a: "b" } });
      expect({ status, background, output }).toEqual({ status: "queued", background: true, output: [] });
      const call = await upstream.asked(said("a poem"));
      expect(await client.responses.retrieve(id)).toMatchObject({
        status: "in_progress",
        background: true,
        output: [],
      });
      call.end("Roses.");
      const whole = await ended(id);
      expect(whole).toMatchObject({
        status: "completed",
        output_text: "Roses.",
        metadata: { a: "b" },
        background: true,
      });
      expect(whole.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
      expect((await all(client.responses.inputItems.list(id))).length).toBe(1);
      await app.service.flush();
      const { body } = await person.send("GET", "/api/gw/logs");
      const { data } = body as { data: Record<string, unknown>[] };
      expect(data).toMatchObject([{ endpoint: "/v1/responses", status: "succeeded", cost: 15_000_000 }]);
      expect(JSON.stringify(data)).toContain(keyId);
    });

    test("can be gone on from when they have ended, and not before", async () => {
      const { id } = await begin(said("first"));
      const call = await upstream.asked(said("first"));
      const goOn = { previous_response_id: id };
      for (const fields of [goOn, { ...goOn, background: false }, { ...goOn, stream: true }]) {
        const refused = await refusal(begin(said("second"), fields));
        expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("`in_progress`") });
      }
      call.end("One.");
      await desk.idle();
      const next = await begin(said("second"), goOn);
      const second = await upstream.asked(said("second"));
      expect(second.body.messages).toMatchObject([{ content: said("first") }, { content: "One." }, {}]);
      second.end("Two.");
      expect(await ended(next.id)).toMatchObject({ output_text: "Two.", previous_response_id: id });
    });

    test("are refused at once where it shows that they cannot be carried out", async () => {
      const refused = async (fields: object) => refusal(begin("x", fields));
      expect(await refused({ store: false })).toMatchObject({
        status: 400,
        message: expect.stringContaining("`store`"),
        param: "store",
      });
      expect((await refused({ model: "nowhere" })).status).toBe(404);
      expect((await refused({ n: 2 })).status).toBe(400);
      expect((await refused({ previous_response_id: "resp_1" })).status).toBe(404);
      expect((await refused({ input: "x".repeat(9 * 1024 * 1024) })).message).toContain("too long");
      expect(upstream.times("x")).toBe(0);
    });

    test("fail with the words of a refusal that comes later", async () => {
      const guarded = await begin("a falcon", { guardrails: ["words"] });
      expect(await ended(guarded.id)).toMatchObject({ status: "failed", error: { code: "content_policy_violation" } });
      await person.send("PATCH", `/api/gw/api-keys/${keyId}`, { rpm_limit: 1 });
      const [one, two] = [await begin(said("one")), await begin(said("two"))];
      const first = await Promise.race([upstream.asked(said("one")), upstream.asked(said("two"))]);
      first.end("Fine.");
      await desk.idle();
      const answers = await Promise.all([one, two].map(({ id }) => client.responses.retrieve(id)));
      expect(answers.map(({ status }) => status).sort()).toEqual(["completed", "failed"]);
      expect(answers.find(({ status }) => status === "failed")?.error?.code).toMatch(/^rate_limit/);
      await person.send("PATCH", `/api/gw/api-keys/${keyId}`, { rpm_limit: null });
    });

    test("are cancelled, again and again, and let go of the model", async () => {
      const { id } = await begin(said("long"));
      const call = await upstream.asked(said("long"));
      const left = new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      expect(await client.responses.cancel(id)).toMatchObject({ id, status: "cancelled", error: null });
      await left;
      await desk.idle();
      expect(await client.responses.cancel(id)).toMatchObject({ id, status: "cancelled" });
      expect(await client.responses.retrieve(id)).toMatchObject({ status: "cancelled", output: [] });
      expect((await all(await again(id))).map(({ type }) => type)).not.toContain("response.completed");

      const done = await begin(said("short"));
      (await upstream.asked(said("short"))).end("Done.");
      await desk.idle();
      expect(await client.responses.cancel(done.id)).toMatchObject({
        ...{ id: done.id, status: "completed" },
        output: [{ content: [{ text: "Done." }] }],
      });
      const plain = await client.responses.create({ model: "echo", input: "x" });
      expect(await refusal(client.responses.cancel(plain.id))).toMatchObject({ status: 400 });
      const stranger = await newCustomer(app);
      expect((await refusal(stranger.client.responses.cancel(done.id))).status).toBe(404);
    });

    test("that are deleted are gone, and let go of the model", async () => {
      const { id } = await begin(said("deleted"));
      const call = await upstream.asked(said("deleted"));
      const left = new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      await client.responses.delete(id);
      await left;
      await desk.idle();
      expect((await refusal(client.responses.retrieve(id))).status).toBe(404);
      expect(await store.find(id)).toBeNull();
    });

    test("are made once for each `Idempotency-Key`", async () => {
      const ask = (more: object = {}) =>
        app.call("/v1/responses", {
          key,
          json: { model: "m", input: said("once"), background: true, ...more },
          headers: { "idempotency-key": said("once") },
        });
      const idOf = async (answer: Response) => ((await answer.json()) as Answer).id;
      const id = await idOf(await ask());
      expect(await idOf(await ask())).toBe(id);
      (await upstream.asked(said("once"))).end("Once.");
      await desk.idle();
      expect(upstream.times(said("once"))).toBe(1);
      expect((await ask({ stream: true, input: "else" })).status).toBe(422);
      const streamed = { model: "m", input: "x", background: true, stream: true };
      const other = await app.call("/v1/responses", { key, json: streamed, headers: { "idempotency-key": "y" } });
      expect(other.status).toBe(400);
    });

    test("stream what happens, go on without a reader, and are read on from where one stopped", async () => {
      const first: ResponseStreamEvent[] = [];
      for await (const event of await stream(said("a story"))) {
        first.push(event);
        if (event.type === "response.queued") void upstream.asked(said("a story")).then((call) => call.say("Once "));
        // The reader leaves in the middle of it.
        if (event.type === "response.output_text.delta") break;
      }
      expect(first.slice(0, 3).map(({ type }) => type)).toEqual([
        "response.created",
        "response.queued",
        "response.in_progress",
      ]);
      const { id } = (first[0] as { response: Answer }).response;
      const call = await upstream.asked(said("a story"));
      call.say("upon ");
      const rest: ResponseStreamEvent[] = [];
      const starting_after = first.at(-1)?.sequence_number ?? -1;
      for await (const event of await again(id, { starting_after })) {
        if (rest.push(event) === 1) call.end("a time.");
      }
      const joined = [...first, ...rest];
      expect(joined.map(({ sequence_number }) => sequence_number)).toEqual(joined.map((_, at) => at));
      const deltas = joined.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
      expect(deltas.join("")).toBe("Once upon a time.");
      expect(joined.at(-1)).toMatchObject({ type: "response.completed", response: { id, status: "completed" } });
      expect(call.signal.aborted).toBe(false);

      // At its end it is told with the same numbers, and the official client makes the answer of it.
      expect(await all(await again(id))).toEqual(joined);
      expect(await all(await again(id, { starting_after: 4 }))).toEqual(joined.slice(5));
      // No event has such a number, and a column of PostgreSQL has no room for it.
      await expect(Promise.resolve(again(id, { starting_after: 2 ** 31 }))).rejects.toMatchObject({ status: 422 });
      const gathered = await client.responses.stream({ response_id: id }).finalResponse();
      expect(gathered.output_text).toBe("Once upon a time.");
      // When the events are not kept any more, it is told in one piece.
      await store.removeEnded(Date.now() + 1);
      const later = await all(await again(id));
      expect(later.at(-1)).toMatchObject({ type: "response.completed", response: { id, status: "completed" } });
      expect(later.length).toBeLessThan(joined.length);
    });

    test("that were not asked for as streams are streamed when they are whole", async () => {
      const { id } = await begin(said("plain"));
      const reading = all(await again(id));
      (await upstream.asked(said("plain"))).end("Whole.");
      expect((await reading).at(-1)).toMatchObject({ type: "response.completed", response: { id } });
    });

    test("whose stream is read when they are cancelled end it", async () => {
      const events: ResponseStreamEvent[] = [];
      for await (const event of await stream(said("cut"))) {
        events.push(event);
        if (event.type !== "response.in_progress") continue;
        await upstream.asked(said("cut"));
        await client.responses.cancel(event.response.id);
      }
      expect(events.at(-1)?.type).toBe("response.in_progress");
    });

    test("that a process has left in the middle have failed, and are not asked for again", async () => {
      const reading = (await stream(said("abandoned")))[Symbol.asyncIterator]();
      const created = (await reading.next()).value as { response: Answer };
      const { id } = created.response;
      const events = all({ [Symbol.asyncIterator]: () => reading });
      (await upstream.asked(said("abandoned"))).say("Half");
      await abandon(id, "in_progress");
      // The process that had it hears that it has lost it; the next look finds it left.
      await desk.tick();
      await desk.idle();
      await desk.tick();
      const answer = await ended(id);
      expect(answer).toMatchObject({ status: "failed", error: { code: "server_error" } });
      expect(answer.error?.message).toContain("not asked for again");
      expect((await events).at(-1)).toMatchObject({ type: "response.failed", response: { id } });
      expect((await events).map(({ sequence_number }) => sequence_number)).toEqual(
        (await events).map((_, at) => at + 1),
      );
      expect(upstream.times(said("abandoned"))).toBe(1);
    });

    test("that only waited when their process ended are carried out by another", async () => {
      const { id } = await begin(said("waiting"), { tools: [{ type: "custom", name: "patch" }], user: "u" });
      await upstream.asked(said("waiting"));
      await abandon(id, "queued");
      while (upstream.times(said("waiting")) < 2) await desk.tick();
      const call = await upstream.asked(said("waiting"), 2);
      expect(call.body).toMatchObject({ tools: [{ function: { name: "patch" } }] });
      call.end("At last.");
      expect(await ended(id)).toMatchObject({ status: "completed", output_text: "At last." });
    });
  });

  describe.skipIf(missing)(`a process that stops on ${kind}`, () => {
    test("waits for what is under way in the background, and says of the rest that it failed", async () => {
      const app = await startAppOn(kind, CONFIG);
      const { client } = await newCustomer(app);
      const begin = (input: string): Promise<OpenAI.Responses.Response> =>
        client.responses.create({ model: "m", input, background: true });
      const [soon, never] = [await begin(`soon on ${kind}`), await begin(`never on ${kind}`)];
      const call = await upstream.asked(`soon on ${kind}`);
      await upstream.asked(`never on ${kind}`);
      const stopped = app.service.responses.stop(2_000);
      call.end("Soon.");
      await stopped;
      expect(await client.responses.retrieve(soon.id)).toMatchObject({ status: "completed", output_text: "Soon." });
      const failed = await client.responses.retrieve(never.id);
      expect(failed).toMatchObject({ status: "failed", error: { message: expect.stringContaining("stopped") } });
      await app.close();
    });
  });
}
