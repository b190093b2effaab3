import { beforeAll, describe, expect, test } from "bun:test";
import { type CryptoKey, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { GatewayError } from "../contract/errors.ts";
import { createGoogleTokens } from "./google-token.ts";

const NOW_MS = 1_700_000_000_000;
let publicKey: CryptoKey;
let pem: string;

beforeAll(async () => {
  const pair = await generateKeyPair("RS256", { extractable: true });
  publicKey = pair.publicKey;
  pem = await exportPKCS8(pair.privateKey);
});

const serviceAccount = (change: object = {}) =>
  JSON.stringify({
    type: "service_account",
    project_id: "p1",
    private_key_id: "kid-1",
    private_key: pem,
    client_email: "robot@p1.iam.gserviceaccount.com",
    token_uri: "https://oauth2.test/token",
    ...change,
  });
const userLogin = (change: object = {}) =>
  JSON.stringify({
    type: "authorized_user",
    client_id: "client-1",
    client_secret: "secret-1",
    refresh_token: "refresh-1",
    ...change,
  });

/** A token endpoint that counts, and says what it is told to. */
function setup(answer: (call: number) => Response | Promise<Response> = freshToken) {
  const calls: { url: string; form: URLSearchParams }[] = [];
  const clock = { nowMs: NOW_MS };
  const tokens = createGoogleTokens({
    async fetch(url, init) {
      calls.push({ url, form: new URLSearchParams(init.body) });
      return answer(calls.length);
    },
    nowMs: () => clock.nowMs,
  });
  return { calls, clock, tokens };
}
const freshToken = (call: number) =>
  Response.json({ access_token: `token-${call}`, expires_in: 3600, token_type: "Bearer" });

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a service account", () => {
  test("proves itself with an assertion that its key has signed", async () => {
    const { calls, tokens } = setup();
    expect(await tokens.accessToken(serviceAccount())).toBe("token-1");
    expect(calls[0]?.url).toBe("https://oauth2.test/token");
    expect(calls[0]?.form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const assertion = calls[0]?.form.get("assertion") ?? "";
    const { payload } = await jwtVerify(assertion, publicKey, { currentDate: new Date(NOW_MS) });
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: "RS256", typ: "JWT", kid: "kid-1" });
    expect(payload).toEqual({
      iss: "robot@p1.iam.gserviceaccount.com",
      aud: "https://oauth2.test/token",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      iat: NOW_MS / 1000,
      exp: NOW_MS / 1000 + 3600,
    });
  });

  test("may have its key's line ends written as \\n", async () => {
    const { tokens } = setup();
    expect(await tokens.accessToken(serviceAccount({ private_key: pem.replaceAll("\n", "\\n") }))).toBe("token-1");
  });
});

test("a stored login is renewed with its refresh token", async () => {
  const { calls, tokens } = setup();
  expect(await tokens.accessToken(userLogin())).toBe("token-1");
  expect(calls[0]?.url).toBe("https://oauth2.googleapis.com/token");
  expect(Object.fromEntries(calls[0]?.form ?? [])).toEqual({
    grant_type: "refresh_token",
    client_id: "client-1",
    client_secret: "secret-1",
    refresh_token: "refresh-1",
  });
});

describe("a token", () => {
  test("is kept until shortly before it expires", async () => {
    const { calls, clock, tokens } = setup();
    await tokens.accessToken(userLogin());
    clock.nowMs += 3_479_000;
    expect(await tokens.accessToken(userLogin())).toBe("token-1");
    clock.nowMs += 2_000;
    expect(await tokens.accessToken(userLogin())).toBe("token-2");
    expect(calls).toHaveLength(2);
  });

  test("without a lifetime is used once", async () => {
    const { calls, tokens } = setup((call) => Response.json({ access_token: `token-${call}` }));
    expect(await tokens.accessToken(userLogin())).toBe("token-1");
    expect(await tokens.accessToken(userLogin())).toBe("token-2");
    expect(calls).toHaveLength(2);
  });

  test("is asked for once by calls that need it at the same time", async () => {
    const { calls, tokens } = setup();
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.accessToken(serviceAccount())));
    expect(new Set(all)).toEqual(new Set(["token-1"]));
    expect(calls).toHaveLength(1);
  });

  test("belongs to its credentials alone", async () => {
    const { tokens } = setup();
    expect(await tokens.accessToken(userLogin())).toBe("token-1");
    expect(await tokens.accessToken(userLogin({ refresh_token: "refresh-2" }))).toBe("token-2");
    expect(await tokens.accessToken(userLogin())).toBe("token-1");
  });

  test("that failed is asked for again", async () => {
    const { tokens } = setup((call) => (call === 1 ? new Response("", { status: 500 }) : freshToken(call)));
    expect((await failureOf(tokens.accessToken(userLogin()))).kind).toBe("upstream_unavailable");
    expect(await tokens.accessToken(userLogin())).toBe("token-2");
  });
});

describe("a failure", () => {
  test("to reach the endpoint is a connection error", async () => {
    const { tokens } = setup(() => Promise.reject(new Error("ECONNREFUSED refresh-1")));
    const error = await failureOf(tokens.accessToken(userLogin()));
    expect(error.kind).toBe("connection");
    expect(error.cause).toBeUndefined();
  });

  test("of credentials that Google refuses names the code alone", async () => {
    const answer = { error: "invalid_grant", error_description: "Token of robot@p1 expired, refresh-1" };
    const { tokens } = setup(() => Response.json(answer, { status: 400 }));
    const error = await failureOf(tokens.accessToken(userLogin()));
    expect(error.kind).toBe("upstream_authentication");
    expect(error.message).toContain("(invalid_grant)");
    expect(error.message).not.toContain("robot");
  });

  test.each([
    ["an answer without a token", () => Response.json({})],
    ["an answer that is not JSON", () => new Response("<html>")],
    ["an answer that is a list", () => Response.json([])],
  ])("such as %s is one of authentication", async (_, answer) => {
    expect((await failureOf(setup(answer).tokens.accessToken(userLogin()))).kind).toBe("upstream_authentication");
  });

  test("of credentials that are none never shows a part of them", async () => {
    const broken = [
      "PRIVATE not json",
      "[]",
      '"PRIVATE"',
      "{}",
      JSON.stringify({ type: "PRIVATE" }),
      serviceAccount({ private_key: "-----BEGIN PRIVATE KEY-----\nUFJJVkFURQ==\n-----END PRIVATE KEY-----" }),
      serviceAccount({ private_key: "PRIVATE" }),
      serviceAccount({ client_email: 5 }),
      serviceAccount({ token_uri: "http://evil.test/PRIVATE" }),
      serviceAccount({ token_uri: "PRIVATE" }),
      userLogin({ client_secret: "" }),
    ];
    for (const credentials of broken) {
      const { calls, tokens } = setup();
      const error = await failureOf(tokens.accessToken(credentials));
      expect(error.kind).toBe("upstream_authentication");
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/PRIVATE|UFJJ|secret-1/);
      expect(calls).toEqual([]);
    }
  });
});
