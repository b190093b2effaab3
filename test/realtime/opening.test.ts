import { afterAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { examplesOf } from "../../web/src/pages/models/examples.ts";
import { MASTER_KEY } from "../app.ts";
import { RealtimeClient, refusal } from "./client.ts";
import { realtimeWorld } from "./world.ts";

const world = await realtimeWorld({
  model_list: [
    { model_name: "voice", litellm_params: { model: "echo/realtime" }, model_info: { free: true } },
    { model_name: "claude", litellm_params: { model: "anthropic/claude-sonnet-4-5", api_key: "k" } },
    {
      model_name: "both",
      litellm_params: { model: "anthropic/claude-sonnet-4-5", api_key: "k" },
      model_info: { free: true },
    },
    { model_name: "both", litellm_params: { model: "echo/realtime" }, model_info: { free: true } },
    {
      model_name: "unpriced",
      litellm_params: { model: "openai/nobody-knows-realtime", api_base: "https://llm.example.com", api_key: "k" },
    },
  ],
  guardrails: [
    {
      guardrail_name: "no-mail",
      litellm_params: { guardrail: "pii", mode: "pre_call", entities: ["email"], action: "block" },
    },
  ],
});
const { server, newKey, open, refused, address } = world;
afterAll(() => world.close());

const { key } = await newKey();

describe("how a session is opened", () => {
  test.each(["/v1/realtime", "/realtime", "/openai/v1/realtime"])(
    "at %s, and answers by the caller's name of the model",
    async (path) => {
      const client = await RealtimeClient.open(`${server.url}${path}?model=voice`, { authorization: `Bearer ${key}` });
      const created = await client.next("session.created");
      expect(created.session).toMatchObject({ type: "realtime", model: "voice" });
      await client.close();
    },
  );

  test.each([
    ["authorization", `Bearer ${key}`],
    ["api-key", key],
    ["x-gw-api-key", key],
  ])("with the key in %s", async (name, value) => {
    const client = await RealtimeClient.open(address("voice"), { [name]: value });
    await client.next("session.created");
    await client.close();
  });

  test("with the key among the sub-protocols, of which the spoken one is chosen", async () => {
    const client = await RealtimeClient.open(address("voice"), {}, ["realtime", `openai-insecure-api-key.${key}`]);
    await client.next("session.created");
    expect(client.socket.protocol).toBe("realtime");
    await client.close();
  });

  test("as Azure's clients do", async () => {
    const url = `${server.url}/openai/realtime?deployment=voice&api-version=2024-10-01-preview`;
    const client = await RealtimeClient.open(url, { "api-key": key });
    await client.next("session.created");
    await client.close();
  });

  test("by OpenAI's own client", async () => {
    const Plain = WebSocket;
    // The client insists on TLS, which is not what this is about.
    globalThis.WebSocket = class extends Plain {
      constructor(url: string, protocols: string[]) {
        super(url.replace(/^wss/, "ws"), protocols);
      }
    } as typeof WebSocket;
    try {
      const openai = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1` });
      const session = new OpenAIRealtimeWebSocket({ model: "voice", dangerouslyAllowBrowser: true }, openai);
      const said: string[] = [];
      const done = new Promise<string>((resolve, reject) => {
        session.on("error", reject);
        session.on("session.created", () => {
          session.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
          const content = [{ type: "input_text" as const, text: "Good morning" }];
          session.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
          session.send({ type: "response.create" });
        });
        session.on("response.output_text.delta", ({ delta }) => said.push(delta));
        session.on("response.done", ({ response }) => resolve(String(response.status)));
      });
      expect(await done).toBe("completed");
      expect(said.join("")).toBe("You said: Good morning");
      session.close();
    } finally {
      globalThis.WebSocket = Plain;
    }
  });

  test("by the code that the page of a model shows", async () => {
    const [example, ...others] = examplesOf("realtime", "voice", { origin: server.url, keyHeader: "x-gw-api-key" });
    expect(others).toEqual([]);
    const child = Bun.spawn([process.execPath, "-e", example?.code ?? ""], {
      env: { TURNPIKE_KEY: key },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("You said: Say hello in three languages.");
  });

  test("at a deployment of the group whose provider has sessions, whichever the router would take", async () => {
    for (let time = 0; time < 6; time++) {
      const client = await open("both", key);
      expect((await client.next("session.created")).session).toMatchObject({ model: "both" });
      await client.close();
    }
  });
});

describe("what is refused, before a WebSocket is opened", () => {
  test("a request that is none", async () => {
    const response = await fetch(address("voice"), { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(400);
  });

  test("no key, a wrong one, and two different ones", async () => {
    expect(await refusal(address("voice"))).toMatchObject({ status: 401, code: "invalid_api_key" });
    expect(await refused("voice", "sk-0000000000000000000000000000000000")).toMatchObject({ status: 401 });
    const two = {
      authorization: `Bearer ${key}`,
      "sec-websocket-protocol": "realtime, openai-insecure-api-key.sk-another",
    };
    expect(await refusal(address("voice"), two)).toMatchObject({ status: 401 });
  });

  test("the cookie of a session, by which a GET alone is no call of a model", async () => {
    const login = await fetch(`${server.url}/api/auth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: world.owner.email, password: "a good long one", cookie: true }),
    });
    const [cookie = ""] = (login.headers.get("set-cookie") ?? "").split(";");
    const { id } = await newKey();
    expect(await refusal(address("voice"), { cookie, "x-gw-key-id": id })).toMatchObject({ status: 401 });
  });

  test("a model that is not there, that the key may not call, or that is missing", async () => {
    expect(await refused("nothing", key)).toMatchObject({ status: 404, code: "model_not_found" });
    const bound = await newKey({ models: ["both"] });
    expect(await refused("voice", bound.key)).toMatchObject({ status: 403 });
    expect((await refusal(`${server.url}/v1/realtime`, { authorization: `Bearer ${key}` })).status).toBe(422);
  });

  test("a model whose provider has no sessions, and one without a price", async () => {
    expect(await refused("claude", key)).toMatchObject({ status: 400, code: "unsupported_parameter" });
    expect(await refused("unpriced", key)).toMatchObject({ status: 400, code: "price_unknown" });
  });

  test("more calls a minute than the key may make", async () => {
    const limited = await newKey({ rpmLimit: 1 });
    const client = await open("voice", limited.key);
    await client.close();
    expect(await refused("voice", limited.key)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  });

  test("a session beside another one, where the key may make one call at a time", async () => {
    const limited = await newKey({ parallelLimit: 1 });
    const client = await open("voice", limited.key);
    expect(await refused("voice", limited.key)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    await client.close();
    await Bun.sleep(0);
    const next = await open("voice", limited.key);
    await next.close();
  });

  test("the sessions of a key with a guardrail, which could not hear them", async () => {
    const guarded = await newKey({ guardrails: ["no-mail"] });
    const answer = await refused("voice", guarded.key);
    expect(answer.status).toBe(400);
    expect(answer.message).toContain("Guardrails look at the calls of this key");
  });
});

describe("secrets for browsers", () => {
  const make = async (body: object, by = key) => {
    const response = await fetch(`${server.url}/v1/realtime/client_secrets`, {
      method: "POST",
      headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers and refusals alike.
    return { status: response.status, body: (await response.json()) as any };
  };

  test("open a session that begins with what they were made with", async () => {
    const made = await make({ session: { type: "realtime", model: "voice", instructions: "Be brief." } });
    expect(made.status).toBe(200);
    expect(made.body.value).toMatch(/^ek_[\w-]+$/);
    expect(made.body.session).toMatchObject({ model: "voice", instructions: "Be brief." });
    expect(made.body.expires_at - Date.now() / 1000).toBeGreaterThan(590);
    const url = `${server.url}/v1/realtime`;
    const client = await RealtimeClient.open(url, {}, ["realtime", `openai-insecure-api-key.${made.body.value}`]);
    const updated = await client.next("session.updated");
    expect(updated.session).toMatchObject({ instructions: "Be brief.", model: "voice" });
    await client.close();
    const again = await RealtimeClient.open(url, { authorization: `Bearer ${made.body.value}` });
    await again.close();
  });

  test("open no other model, and nothing when they are changed or too old", async () => {
    const made = await make({ session: { model: "voice" }, expires_after: { anchor: "created_at", seconds: 10 } });
    const by = (value: string) => ({ authorization: `Bearer ${value}` });
    expect(await refusal(address("both"), by(made.body.value))).toMatchObject({ status: 403 });
    expect(await refusal(address("voice"), by(`${made.body.value.slice(0, -4)}AAAA`))).toMatchObject({ status: 401 });
    expect(await refusal(address("voice"), by("ek_x"))).toMatchObject({ status: 401 });
  });

  test("are no keys of anything else", async () => {
    const made = await make({ session: { model: "voice" } });
    const response = await fetch(`${server.url}/v1/models`, {
      headers: { authorization: `Bearer ${made.body.value}` },
    });
    expect(response.status).toBe(401);
  });

  test("are made for what the key may call, for ten seconds to two hours", async () => {
    expect((await make({ session: { model: "nothing" } })).status).toBe(404);
    expect((await make({ session: { model: "voice" }, expires_after: { seconds: 1 } })).status).toBe(422);
    expect((await make({ session: { model: "voice", instructions: "x".repeat(7_000) } })).status).toBe(400);
    const bound = await newKey({ models: ["both"] });
    expect((await make({ session: { model: "voice" } }, bound.key)).status).toBe(403);
    const guarded = await newKey({ guardrails: ["no-mail"] });
    expect((await make({ session: { model: "voice" } }, guarded.key)).status).toBe(400);
    for (const guardrails of [["no-mail"], "no-mail", ["nobody-knows"]]) {
      for (const body of [
        { guardrails, session: { model: "voice" } },
        { session: { model: "voice", guardrails } },
        { litellm_metadata: { guardrails }, session: { model: "voice" } },
      ])
        expect((await make(body)).status).toBe(400);
    }
    expect((await make({ guardrails: [], session: { model: "voice" } })).status).toBe(200);
  });
});

test("open sessions are among the calls that run", async () => {
  const client = await open("voice", MASTER_KEY);
  expect(server.pendingCalls()).toBe(1);
  await client.close();
});
