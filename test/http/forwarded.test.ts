import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";

const app = await startApp("general_settings:\n  trusted_proxies: [10.0.0.0/8, 'fd00::/8']\n");
const bare = await startApp();
afterAll(async () => {
  await app.close();
  await bare.close();
});

const from = (remoteAddress: string, forwarded: string) => ({
  remoteAddress,
  headers: { "x-forwarded-for": forwarded, forwarded: `for=${forwarded}`, "x-real-ip": forwarded },
});

describe("behind trusted proxies", () => {
  test("a key that is bound to addresses goes by who called the proxy", async () => {
    const person = await newPerson(app);
    const teams = (await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
    const made = await person.send("POST", "/api/gw/api-keys", { name: "Bound", team_id: teams.data[0]?.id });
    const { id, token: key } = made.body as { id: string; token: string };
    await person.send("PATCH", `/api/gw/api-keys/${id}`, { allowedIps: ["192.0.2.0/24"] });
    const status = async (remoteAddress: string, forwarded: string) => {
      const { headers } = from(remoteAddress, forwarded);
      const call = { remoteAddress, headers: { ...headers, authorization: `Bearer ${key}` } };
      return (await app.call("/v1/models", call)).status;
    };
    expect(await status("10.0.0.1", "192.0.2.7")).toBe(200);
    expect(await status("fd00::1", "192.0.2.7, 10.1.1.1")).toBe(200);
    expect(await status("10.0.0.1", "203.0.113.1")).toBe(403);
    expect(await status("10.0.0.1", "192.0.2.7, 203.0.113.1")).toBe(403);
    expect(await status("203.0.113.1", "192.0.2.7")).toBe(403);
    expect(await status("192.0.2.7", "203.0.113.1")).toBe(200);
  });

  test("sessions and the audit log name who called the proxy", async () => {
    const person = await newPerson(app);
    const json = { email: person.email, password: "a good long one" };
    const answer = await app.call("/api/auth/token", { json, ...from("10.0.0.1", "203.0.113.1, 192.0.2.8") });
    const { token } = (await answer.json()) as { token: string };
    const { data } = (await (await app.call("/api/auth/sessions", { key: token })).json()) as {
      data: { address: string }[];
    };
    expect(data[0]?.address).toBe("192.0.2.8");
  });

  test("wrong passwords count for who sent them, not for the proxy and not for whom they name", async () => {
    const person = await newPerson(app);
    const logIn = (forwarded: string, password = "wrong") =>
      app.call("/api/auth/token", { json: { email: person.email, password }, ...from("10.0.0.1", forwarded) });
    for (let tries = 0; tries < 6; tries++) await logIn(`198.51.100.${tries}, 192.0.2.9`);
    expect((await logIn("198.51.100.99, 192.0.2.9")).status).toBe(429);
    expect((await logIn("192.0.2.10", "a good long one")).status).toBe(200);
  });
});

test("without trusted proxies nobody is believed", async () => {
  const person = await newPerson(bare);
  const json = { email: person.email, password: "a good long one" };
  const answer = await bare.call("/api/auth/token", { json, ...from("127.0.0.1", "192.0.2.8") });
  const { token } = (await answer.json()) as { token: string };
  const { data } = (await (await bare.call("/api/auth/sessions", { key: token })).json()) as {
    data: { address: string }[];
  };
  expect(data[0]?.address).toBe("127.0.0.1");
});
