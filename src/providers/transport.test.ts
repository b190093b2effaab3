import { describe, expect, test } from "bun:test";
import { GatewayError } from "../contract/errors.ts";
import { PROGRAM_VERSION } from "../contract/version.ts";
import { Reachability } from "./reachability.ts";
import { createTransport } from "./transport.ts";

const PUBLIC = "93.184.216.34";

function setUp(answers: Record<string, string[]> = {}) {
  const dialled: { url: string; init: BunFetchRequestInit }[] = [];
  const connected: string[] = [];
  const state = { nowMs: 0, reachable: true, proxied: "" };
  const reachability = new Reachability(
    async ({ host, port }) => {
      connected.push(`${host}:${port}`);
      if (!state.reachable) throw new Error("refused");
    },
    () => state.nowMs,
    (protocol) => protocol === state.proxied,
  );
  const transport = createTransport({
    locals: { echo: async (request) => new Response(`local ${new URL(request.url).pathname}`) },
    sign: async (request) => ({ ...request.headers, signed: "yes" }),
    reachability,
    resolve: async (host) => answers[host] ?? [],
    async fetch(url, init) {
      dialled.push({ url, init: { ...init, headers: Object.fromEntries(new Headers(init.headers as Headers)) } });
      return new Response("ok");
    },
  });
  return { transport, dialled, connected, state };
}

const request = (url: string) => ({ url, headers: { authorization: "Bearer operator" }, body: "{}" });
const signal = new AbortController().signal;

describe("the door out", () => {
  test("never follows a redirect", async () => {
    const { transport, dialled } = setUp();
    await transport.send(request("https://api.example.com/v1"), signal);
    expect(dialled[0]?.init.redirect).toBe("manual");
  });

  test("says who calls, unless the request says it itself", async () => {
    const { transport, dialled } = setUp({ "api.example.com": [PUBLIC] });
    const plain = request("https://api.example.com/v1");
    await transport.send(plain, signal);
    await transport.sendGuarded(plain, signal);
    await transport.send({ ...plain, headers: { "User-Agent": "proxy/1" } }, signal);
    const agents = dialled.map(({ init }) => new Headers(init.headers as Record<string, string>).get("user-agent"));
    expect(agents).toEqual([`turnpike/${PROGRAM_VERSION}`, `turnpike/${PROGRAM_VERSION}`, "proxy/1"]);
    expect(dialled[0]?.init.headers).toMatchObject({ authorization: "Bearer operator", "accept-encoding": "identity" });
  });

  test("tells a key that cannot be sent from an upstream that cannot be reached", async () => {
    const { transport, dialled } = setUp({ "api.example.com": [PUBLIC] });
    for (const key of ["sk-line\nbreak", "sk-\u201cquoted\u201d"]) {
      const unsendable = { ...request("https://api.example.com/v1"), headers: { authorization: `Bearer ${key}` } };
      for (const send of [transport.send, transport.sendGuarded]) {
        const thrown = await send(unsendable, signal).catch((failure) => failure);
        expect([thrown.kind, thrown.message]).toEqual([
          "upstream_authentication",
          expect.stringContaining("cannot be sent"),
        ]);
        expect(thrown.message).not.toContain("sk-");
      }
    }
    expect(dialled).toEqual([]);
  });

  test("dials a guarded address by its checked number, under its own name", async () => {
    const { transport, dialled } = setUp({ "api.example.com": [PUBLIC] });
    await transport.sendGuarded(request("https://api.example.com/v1?x=1"), signal);
    expect(dialled[0]?.url).toBe(`https://${PUBLIC}/v1?x=1`);
    expect(dialled[0]?.init.headers).toMatchObject({ host: "api.example.com" });
    expect(dialled[0]?.init.tls).toMatchObject({ serverName: "api.example.com" });
  });

  test("dials nothing for a guarded address that is not public", async () => {
    const { transport, dialled, connected } = setUp({ "inner.example": ["10.0.0.1"] });
    for (const url of [
      "http://127.0.0.1:8080/",
      "https://inner.example/",
      "http://169.254.169.254/latest",
      "echo://offline/",
    ]) {
      await expect(transport.sendGuarded(request(url), signal)).rejects.toMatchObject({ kind: "permission" });
    }
    expect(dialled).toEqual([]);
    expect(connected).toEqual([]);
  });

  test("lets the operator's own addresses through, private ones too", async () => {
    const { transport, dialled } = setUp();
    await transport.send(request("http://127.0.0.1:11434/api/chat"), signal);
    expect(dialled).toHaveLength(1);
  });

  test("reaches an upstream inside this process without the network", async () => {
    const { transport, dialled, connected } = setUp();
    const response = await transport.send(request("echo://offline/v1/chat/completions"), signal);
    expect(await response.text()).toBe("local /v1/chat/completions");
    expect([dialled, connected]).toEqual([[], []]);
  });

  test("signs what has to be signed", async () => {
    const { transport, dialled } = setUp();
    const signing = { kind: "google", credentials: "{}" } as const;
    await transport.send({ ...request("https://x.example/"), sign: signing }, signal);
    expect(dialled[0]?.init.headers).toMatchObject({ signed: "yes" });
  });
});

describe("an origin", () => {
  test("is dialled once before its first call, and again only when it has been silent", async () => {
    const { transport, connected, state } = setUp();
    const send = () => transport.send(request("https://api.example.com/v1"), signal);
    await Promise.all([send(), send()]);
    await send();
    expect(connected).toEqual(["api.example.com:443"]);
    state.nowMs = 31_000;
    await send();
    expect(connected).toHaveLength(2);
  });

  test("that cannot be reached is a connection error, and nothing is sent", async () => {
    const { transport, dialled, state } = setUp();
    state.reachable = false;
    const failure = await transport.send(request("https://dead.example/"), signal).catch((thrown) => thrown);
    expect(failure).toBeInstanceOf(GatewayError);
    expect(failure.kind).toBe("connection");
    expect(dialled).toEqual([]);
    state.reachable = true;
    expect((await transport.send(request("https://dead.example/"), signal)).ok).toBe(true);
  });

  test("that is reached by a proxy is not dialled", async () => {
    const { transport, connected, state } = setUp();
    state.proxied = "https:";
    await transport.send(request("https://api.example.com/v1"), signal);
    await transport.send(request("http://inside.example/v1"), signal);
    expect(connected).toEqual(["inside.example:80"]);
  });
});
