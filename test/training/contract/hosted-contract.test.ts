import { afterAll, beforeAll, expect, test } from "bun:test";
import { startAppOn } from "../../accounts/people.ts";
import type { TestApp } from "../../app.ts";
import { ALLOWED, isOver, personWith, RUNS, startRun, until } from "../hosted.ts";
import { opaqueModel, startContractParticipant } from "./contract-participant.ts";

const SLOW_MS = 60_000;
const group = [2, 4, 9].map((goal, at) => startContractParticipant(`p${at}`, goal, { opaque: true }));
let app: TestApp;
beforeAll(async () => {
  app = await startAppOn("sqlite", ALLOWED);
}, SLOW_MS);
afterAll(async () => {
  await app.close();
  await Promise.all(group.map(({ stop }) => stop()));
});

test(
  "a server trains with participants of the contract alone, and one of them aggregates",
  async () => {
    const person = await personWith(app, group);
    const plan = { participants: group.map(({ id }) => id), rounds: 3, aggregate: "participants" };
    const initialModel = opaqueModel.write([1, 1]).toBase64();
    const { id } = await startRun(person, plan, { initialModel });
    const run = await until(app, person, id, isOver);
    expect(run).toMatchObject({ status: "completed", reason: null, strategy: "participants" });
    const model = await app.call(`${RUNS}/${id}/model`, { key: person.token });
    // Each round halves the distance to the mean of the goals, which is 5.
    expect(opaqueModel.read(await model.bytes())).toEqual([4.5, 4.5]);
    const { body } = await person.send("GET", `${RUNS}/${id}/rounds`);
    for (const round of (body as { data: readonly object[] }).data) {
      expect(round).toMatchObject({ aggregatedBy: expect.stringMatching(/^p[0-2]$/), dropped: [] });
    }
    expect(await (await app.call(`${RUNS}/${id}/report`, { key: person.token })).text()).toContain("aggregated by p");
  },
  SLOW_MS,
);

test("a probe recognizes a participant without /info by its paths, and trains nothing", async () => {
  const served = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url, method }) =>
      new Response(null, { status: url.endsWith("/train") ? (method === "GET" ? 405 : 500) : 404 }),
  });
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 404 }) });
  const person = await personWith(app, []);
  const probe = async (name: string, port: number | undefined) => {
    const url = `http://127.0.0.1:${port}`;
    const { id } = (await person.send("POST", "/api/training/participants", { name, url })).body as { id: string };
    return (await person.send("POST", `/api/training/participants/${id}/probe`)).body;
  };
  const detail = "a participant of the contract, without /info";
  expect(await probe("contract", served.port)).toMatchObject({ probe: { ok: true, detail } });
  expect(await probe("other", other.port)).toMatchObject({ probe: { ok: false, detail: "It answered 404." } });
  await Promise.all([served.stop(true), other.stop(true)]);
});
