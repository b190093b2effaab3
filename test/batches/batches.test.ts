import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { all, clientOf, newCustomer, refusal } from "../assistants/clients.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { chat, create, request, resultsIn, upload, whenOver } from "./batch-files.ts";

/** Each call of `flat` costs a tenth of a cent. */
const MODELS = `
model_list:
  - model_name: echo
    litellm_params: { model: echo/chat }
    model_info: { free: true }
  - model_name: flat
    litellm_params: { model: echo/chat, input_cost_per_query: 0.001, input_cost_per_token: 0, output_cost_per_token: 0, input_cost_per_token_batches: 0 }
  - model_name: vectors
    litellm_params: { model: echo/embedding }
    model_info: { mode: embedding, free: true }
  - model_name: judge
    litellm_params: { model: echo/moderation }
    model_info: { mode: moderation, free: true }
guardrails:
  - guardrail_name: words
    litellm_params: { guardrail: word_list, mode: pre_call, words: [falcon], default_on: true }
general_settings: { signup_credits: 0.002 }
`;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`batches on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, MODELS);
    afterAll(() => app.close());
    const { client, person, teamId } = await newCustomer(app);
    const { client: other } = await newCustomer(app);

    test("are carried out behind the call, and tell what came of each line", async () => {
      const lines = [request("a", chat("one")), request("b", chat("two")), request("c", chat("x", "no-such-model"))];
      const metadata = { job: "night" };
      const input_file_id = await upload(client, lines);
      const made = await client.batches.create({
        input_file_id,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
        metadata,
      });
      expect(made).toMatchObject({ object: "batch", status: "validating", input_file_id, metadata });
      expect(made.expires_at).toBe(made.created_at + 86_400);
      const done = await whenOver(app, client, made.id);
      expect(done).toMatchObject({ status: "completed", request_counts: { total: 3, completed: 2, failed: 1 } });
      for (const time of [done.in_progress_at, done.finalizing_at, done.completed_at]) expect(time).toBeNumber();
      const answers = await resultsIn(client, done.output_file_id);
      expect([...answers.keys()]).toEqual(["a", "b"]);
      expect(answers.get("b")).toMatchObject({
        id: expect.stringMatching(/^batch_req_/),
        response: { status_code: 200, body: { choices: [{ message: { content: "You said: two" } }] } },
        error: null,
      });
      const errors = await resultsIn(client, done.error_file_id);
      expect(errors.get("c")).toMatchObject({
        response: { status_code: 404, body: { error: { code: "model_not_found" } } },
        error: null,
      });
      const file = await client.files.retrieve(done.output_file_id ?? "");
      expect(file).toMatchObject({ purpose: "batch_output", filename: `${made.id}_output.jsonl` });
      expect(file.bytes).toBe((await (await client.files.content(file.id)).arrayBuffer()).byteLength);
      const listed = await all(client.files.list({ purpose: "batch_output" }));
      expect(listed).toHaveLength(2);
    });

    test.each([
      ["/v1/embeddings", { model: "vectors", input: "a heron" }, "data"],
      ["/v1/completions", { model: "echo", prompt: "a heron" }, "choices"],
      ["/v1/responses", { model: "echo", input: "a heron" }, "output"],
      ["/v1/moderations", { model: "judge", input: "a heron" }, "results"],
    ] as const)("call %s", async (endpoint, body, field) => {
      const { id } = await create(client, [request("a", body, endpoint)], endpoint);
      const done = await whenOver(app, client, id);
      expect(done.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
      expect(done.error_file_id).toBeNull();
      const answers = await resultsIn(client, done.output_file_id);
      expect(answers.get("a")?.response?.body).toHaveProperty(field);
    });

    test("of a file with faults fail as a whole, and say which lines are wrong", async () => {
      const { id } = await create(client, [request("a", chat("one")), "{", request("a", chat("two"))]);
      const failed = await whenOver(app, client, id);
      expect(failed).toMatchObject({
        status: "failed",
        output_file_id: null,
        error_file_id: null,
        request_counts: { total: 0, completed: 0, failed: 0 },
        errors: {
          object: "list",
          data: [
            { code: "invalid_json_line", line: 2, param: null, message: expect.any(String) },
            { code: "duplicate_custom_id", line: 3, param: "custom_id", message: expect.any(String) },
          ],
        },
      });
      expect(failed.failed_at).toBeNumber();
    });

    test("are refused where they cannot be made", async () => {
      const input_file_id = await upload(client, [request("a", chat("one"))]);
      const made = { input_file_id, endpoint: "/v1/chat/completions" as const, completion_window: "24h" as const };
      const images = await refusal(client.batches.create({ ...made, endpoint: "/v1/images/generations" }));
      expect(images.status).toBe(400);
      for (const path of ["chat/completions", "embeddings", "completions", "responses", "moderations"])
        expect(images.message).toContain(`/v1/${path}`);
      expect((await refusal(client.batches.create({ ...made, completion_window: "1h" as "24h" }))).status).toBe(400);
      const file = new File(["x"], "a.txt");
      const wrong = await client.files.create({ file, purpose: "user_data" });
      expect((await refusal(client.batches.create({ ...made, input_file_id: wrong.id }))).message).toContain("purpose");
      expect((await refusal(client.batches.create({ ...made, input_file_id: "file-none" }))).status).toBe(404);
      const form = new FormData();
      form.set("purpose", "batch_output");
      form.set("file", file);
      const response = await app.call("/v1/files", { key: MASTER_KEY, body: form, method: "POST" });
      expect(response.status).toBe(422);
    });

    test("and their files are nobody else's", async () => {
      const { id, input_file_id } = await create(client, [request("a", chat("mine"))]);
      const done = await whenOver(app, client, id);
      const made = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" } as const;
      for (const stranger of [other, clientOf(app, MASTER_KEY)]) {
        for (const call of [
          () => stranger.batches.retrieve(id),
          () => stranger.batches.cancel(id),
          () => stranger.batches.create(made),
          () => stranger.batches.list({ after: id }),
          () => stranger.files.content(done.output_file_id ?? ""),
        ]) {
          expect((await refusal(call())).status).toBe(404);
        }
      }
      expect(await all(other.batches.list())).toEqual([]);
    });

    test("are listed the newest first, from one to the next, also without /v1", async () => {
      const { client: mine, key } = await newCustomer(app);
      const ids: string[] = [];
      for (const at of ["a", "b", "c"]) ids.unshift((await create(mine, [request(at, chat(at))])).id);
      expect((await all(mine.batches.list({ limit: 1 }))).map(({ id }) => id)).toEqual(ids);
      const page = (await (await app.call("/batches?limit=2", { key })).json()) as object;
      expect(page).toMatchObject({ object: "list", has_more: true, first_id: ids[0], last_id: ids[1] });
    });

    test("are charged at the normal price as calls of their key, and fail line by line when the credit ends", async () => {
      const { client: mine, person: payer } = await newCustomer(app);
      const lines = ["a", "b", "c", "d"].map((at) => request(at, chat(at, "flat")));
      const { id } = await create(mine, lines);
      const done = await whenOver(app, mine, id);
      expect(done).toMatchObject({ status: "completed", request_counts: { total: 4, completed: 2, failed: 2 } });
      for (const { response } of (await resultsIn(mine, done.error_file_id)).values()) {
        expect(response).toMatchObject({ status_code: 429, body: { error: { code: "insufficient_quota" } } });
      }
      await app.service.flush();
      const { body } = await payer.send("GET", "/api/gw/logs");
      const { data } = body as { data: Record<string, unknown>[] };
      const paid = data.filter(({ status }) => status === "succeeded");
      expect(paid).toHaveLength(2);
      for (const call of paid) expect(call).toMatchObject({ endpoint: "/v1/batches", model: "flat", cost: 1_000_000 });
      const ids = [...(await resultsIn(mine, done.output_file_id)).values()].map(
        ({ response }) => response?.request_id,
      );
      expect(paid.map((call) => call.id as string).sort()).toEqual(ids.sort() as string[]);
      const findings = await app.storage.audit.verify(Date.now());
      expect(findings.flatMap(({ differences }) => differences)).toEqual([]);
    });

    test("of a key that was deleted meanwhile fail with what its calls would", async () => {
      const gone = await newCustomer(app);
      const { id } = await create(gone.client, [request("a", chat("one"))]);
      const again = await gone.person.send("POST", "/api/gw/api-keys", { team_id: gone.teamId, name: "Other" });
      const heir = clientOf(app, (again.body as { key: string }).key);
      expect((await gone.person.send("DELETE", `/api/gw/api-keys/${gone.keyId}`)).status).toBeLessThan(300);
      const done = await whenOver(app, heir, id);
      expect(done).toMatchObject({ status: "completed", request_counts: { completed: 0, failed: 1 } });
      const errors = await resultsIn(heir, done.error_file_id);
      expect(errors.get("a")?.response?.status_code).toBe(401);
    });

    test("of a team that was blocked meanwhile fail with that", async () => {
      const blocked = await newCustomer(app);
      const { id } = await create(blocked.client, [request("a", chat("one"))]);
      const set = (path: string) => app.call(path, { key: MASTER_KEY, json: { team_id: blocked.teamId } });
      expect((await set("/team/block")).status).toBe(200);
      await app.service.batches.tick();
      await app.service.batches.idle();
      expect((await set("/team/unblock")).status).toBe(200);
      const done = await whenOver(app, blocked.client, id);
      const errors = await resultsIn(blocked.client, done.error_file_id);
      expect(errors.get("a")?.response).toMatchObject({ status_code: 403, body: { error: { code: "team_blocked" } } });
    });

    test("call only what their key and guardrails let pass, and nothing that nobody waits for", async () => {
      const given = { team_id: teamId, name: "Narrow", models: ["echo"] };
      const { body } = await person.send("POST", "/api/gw/api-keys", given);
      const narrow = clientOf(app, (body as { key: string }).key);
      const lines = [
        request("other", chat("one", "flat")),
        request("stream", { ...chat("one"), stream: true }),
        request("odd", { model: "echo" }),
        request("guarded", chat("a falcon")),
        request("fine", chat("two")),
      ];
      const { id } = await create(narrow, lines);
      const done = await whenOver(app, client, id);
      const errors = await resultsIn(client, done.error_file_id);
      expect(errors.get("other")?.response?.status_code).toBe(403);
      expect(errors.get("stream")?.response).toMatchObject({ status_code: 400, body: { error: { param: "stream" } } });
      expect(errors.get("odd")?.response?.status_code).toBe(422);
      expect(errors.get("guarded")?.response?.body).toMatchObject({ error: { name: "ContentPolicyViolationError" } });
      expect(done.request_counts).toEqual({ total: 5, completed: 1, failed: 4 });
    });

    test("whose file is deleted before its turn fail, and can be cancelled before it", async () => {
      const first = await create(client, [request("a", chat("one"))]);
      await client.files.delete(first.input_file_id);
      const failed = await whenOver(app, client, first.id);
      expect(failed).toMatchObject({ status: "failed", errors: { data: [{ code: "input_file_gone" }] } });
      const second = await create(client, [request("a", chat("one"))]);
      expect((await client.batches.cancel(second.id)).status).toBe("cancelling");
      expect((await client.batches.cancel(second.id)).status).toBe("cancelling");
      const cancelled = await whenOver(app, client, second.id);
      expect(cancelled).toMatchObject({ status: "cancelled", output_file_id: null });
      expect(cancelled.cancelled_at).toBeNumber();
      expect((await refusal(client.batches.cancel(failed.id))).status).toBe(400);
    });

    test("of one team are not without number", async () => {
      const { client: mine } = await newCustomer(app);
      const input_file_id = await upload(mine, [request("a", chat("one"))]);
      const made = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" } as const;
      for (let at = 0; at < 50; at++) await mine.batches.create(made);
      expect((await refusal(mine.batches.create(made))).status).toBe(429);
    });
  });

  describe.skipIf(missing)(`limits of batches on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const app = await startAppOn(kind, MODELS, clock);
    afterAll(() => app.close());

    test("are waited for: no line fails because its key may not call so often", async () => {
      const { person, teamId } = await newCustomer(app);
      const given = { team_id: teamId, name: "Slow", rpmLimit: 2 };
      const { body } = await person.send("POST", "/api/gw/api-keys", given);
      const client = clientOf(app, (body as { key: string }).key);
      const words = ["a", "b", "c", "d", "e"];
      const { id } = await create(
        client,
        words.map((word) => request(word, chat(word))),
      );
      const begunAtMs = clock.nowMs();
      let done = await client.batches.retrieve(id);
      for (; done.status !== "completed"; done = await client.batches.retrieve(id)) {
        await app.service.batches.tick();
        clock.step(1_000);
        await Bun.sleep(1);
      }
      expect(done.request_counts).toEqual({ total: 5, completed: 5, failed: 0 });
      expect(clock.nowMs() - begunAtMs).toBeGreaterThan(60_000);
      expect([...(await resultsIn(client, done.output_file_id)).keys()]).toEqual(words);
    });
  });
}
