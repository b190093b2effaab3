import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { look, startCachedApp } from "./cached-app.ts";

/** Makes vectors that are all alike, of the size that a test wants, or answers as it likes. */
let size = 4;
let answer: (() => Response | Promise<Response>) | null = null;
const maker = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch() {
    if (answer) return answer();
    const data = [{ object: "embedding", index: 0, embedding: Array.from({ length: size }, () => 1) }];
    return Response.json({ object: "list", model: "m", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  },
});
const place = await startCachedApp({ type: "semantic", similarity_threshold: 0, embedding_model: "vectors" }, {}, [
  {
    model_name: "vectors",
    litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${maker.port}/v1` },
    model_info: { free: true },
  },
]);
afterAll(async () => {
  await place.close();
  await maker.stop(true);
});
beforeEach(() => {
  size = 4;
  answer = null;
});
const ask = async (content: string, namespace: string, fields: object = {}) => {
  const response = await place.chat(content, { cache: { namespace }, ...fields });
  return { status: response.status, ...(await look(response)) };
};

describe("vectors of a group", () => {
  test("whose model was changed for one of another size are alike to none of before, whatever the threshold", async () => {
    expect((await ask("one", "sizes")).hit).toBe(false);
    expect((await ask("two", "sizes")).hit).toBe(true);
    size = 8;
    const other = await ask("three", "sizes");
    expect(other).toMatchObject({ status: 200, hit: false });
    expect(await ask("four", "sizes")).toMatchObject({ hit: true, text: other.text });
  });

  const vectorOf = (embedding: unknown) => () =>
    Response.json({ object: "list", model: "m", data: [{ embedding }], usage: { prompt_tokens: 1, total_tokens: 1 } });
  test("are made also for who has waited long for another's answer that failed", async () => {
    const { upstream, clock, app } = place;
    // Time passes, and is looked at every tenth of a second.
    answer = async () => {
      clock.step(50);
      await Bun.sleep(250);
      return vectorOf([1, 1])();
    };
    const gate = Promise.withResolvers<void>();
    upstream.gate = gate.promise;
    const before = upstream.count;
    const first = ask("the same", "late");
    await upstream.arrived(before + 1);
    const second = ask("the same", "late");
    const metrics = async () => (await app.call("/metrics", { key: MASTER_KEY })).text();
    while (!/^turnpike_cache_waiting 1$/m.test(await metrics())) await Bun.sleep(1);
    clock.step(12_000);
    upstream.failures = 1;
    upstream.gate = null;
    gate.resolve();
    const answered = await second;
    expect([(await first).status, answered.status]).toEqual([502, 200]);
    expect(await ask("another one", "late")).toMatchObject({ hit: true, text: answered.text });
  });

  test.each([
    ["are refused", async () => new Response("no", { status: 500 })],
    ["never come", () => new Promise<Response>(() => undefined)],
  ])("that %s are not asked for by every call: only after a while, and by one", async (name, given) => {
    const { clock } = place;
    const isHanging = name === "never come";
    clock.step(120_000);
    answer = null;
    await ask(`before ${name}`, "held");
    let asked = 0;
    answer = () => {
      asked++;
      // The time that a vector has, looked at every tenth of a second.
      if (isHanging) clock.step(10_000);
      return given();
    };
    const asking = async (content: string): Promise<number> => {
      const before = asked;
      expect(await ask(`${content} ${name}`, "held")).toMatchObject({ status: 200, hit: false });
      return asked - before;
    };
    expect([await asking("one"), await asking("two")]).toEqual([1, 0]);
    clock.step(5_000);
    const together = await Promise.all([asking("three"), asking("four")]);
    expect(asked).toBe(2);
    expect(together).toContain(1);
    clock.step(5_000);
    expect(await asking("five")).toBe(0);
    clock.step(5_000);
    answer = null;
    expect((await ask(`six ${name}`, "held")).hit).toBe(true);
    expect((await ask(`seven ${name}`, "held")).hit).toBe(true);
  });

  test.each([
    ["a failure", () => new Response("no", { status: 500 })],
    ["no JSON", () => new Response("<html>")],
    ["no vector", () => Response.json({ object: "list", data: [] })],
    ["text", vectorOf("AAAA")],
    ["no direction", vectorOf([0, 0])],
    ["no number", vectorOf([1e308, 1e308])],
  ])("that come as %s fail no call, streamed or not", async (name, given) => {
    answer = given;
    const namespace = name.replaceAll(" ", "-");
    for (const stream of [false, true]) {
      for (const content of ["one", "two"])
        expect(await ask(content, namespace, { stream })).toMatchObject({ status: 200, hit: false });
      expect((await ask("one", namespace, { stream })).hit).toBe(true);
    }
  });
});
