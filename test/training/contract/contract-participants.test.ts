import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, PROGRAM } from "../../e2e/process.ts";
import { startSmall } from "../small-participants.ts";
import { floatModel, opaqueModel, startContractParticipant } from "./contract-participant.ts";

const stops: Array<() => unknown> = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

interface Outcome {
  readonly code: number;
  readonly err: string;
  readonly rounds: number;
  readonly paused: string | null;
  readonly model: Uint8Array;
}

/** Runs a plan from the command line, with a model to start from. */
async function runPlan(
  participants: ReadonlyArray<{ readonly id: string; readonly url: string }>,
  initial: Uint8Array,
  more: object,
): Promise<Outcome> {
  const folder = newFolder();
  stops.push(() => folder.remove());
  writeFileSync(join(folder.path, "start"), initial);
  const named = participants.map(({ id, url }) => ({ id, url }));
  const plan = { rounds: 3, retries: 0, participants: named, initial: "start", ...more };
  writeFileSync(join(folder.path, "plan.yaml"), JSON.stringify(plan));
  const child = Bun.spawn([...PROGRAM, "train", "run", "plan.yaml", "--folder", "run", "--json"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", HOME: folder.path },
    stderr: "pipe",
  });
  const [text, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const { rounds, paused, model } = JSON.parse(text || '{"rounds":0,"paused":null,"model":null}');
  const path = join(folder.path, "run", "models", model ?? "none");
  const bytes = model === null ? new Uint8Array() : new Uint8Array(await Bun.file(path).arrayBuffer());
  return { code: await child.exited, err, rounds, paused, model: bytes };
}

function startGroup(behaviour: Parameters<typeof startContractParticipant>[2] = {}) {
  const group = [2, 4, 9].map((goal, at) => startContractParticipant(`p${at}`, goal, behaviour));
  for (const one of group) stops.push(one.stop);
  return group;
}

/** Three rounds from 1: each halves the distance to the mean of the goals, which is 5. */
const EXPECTED = 5 - 4 / 8;
const bare = { format: "f32le", shape: [2] };

describe("participants that implement the contract alone", () => {
  test.each([
    ["are recognized without /info", { callOnly: false }, {}],
    ["are sent JSON at once by a plan with `wire: json`", { callOnly: false }, { wire: "json" }],
    ["are called at /call where they serve nothing else", { callOnly: true }, {}],
  ])("%s", async (_, behaviour, more) => {
    const group = startGroup(behaviour);
    const { code, rounds, model } = await runPlan(group, floatModel.write([1, 1]), { ...bare, ...more });
    expect([code, rounds]).toEqual([0, 3]);
    expect(floatModel.read(model)).toEqual([EXPECTED, EXPECTED]);
    const path = (operation: string) => `${behaviour.callOnly ? "call" : operation} dataset,parameters`;
    const round = [path("train"), path("evaluate")];
    for (const { accepted } of group) expect(accepted).toEqual([...round, ...round, ...round]);
  });

  test.each([
    ["at /aggregate", {}],
    ["at /call", { callOnly: true }],
  ])("aggregate parameters that the coordinator cannot read, %s", async (_, behaviour) => {
    const group = startGroup({ ...behaviour, opaque: true });
    const plan = { aggregate: "participants" };
    const { code, rounds, model } = await runPlan(group, opaqueModel.write([1, 1]), plan);
    expect([code, rounds]).toEqual([0, 3]);
    expect(opaqueModel.read(model)).toEqual([EXPECTED, EXPECTED]);
    const aggregated = group.flatMap(({ accepted }) => accepted.filter((line) => line.includes("parameters_list")));
    expect(aggregated).toHaveLength(3);
  });

  test("train in one run with participants of an SDK", async () => {
    const [first, second] = startGroup();
    const goal = startSmall("sdk", 0, (parameters) => {
      const values = floatModel.read(parameters ?? new Uint8Array());
      return floatModel.write(values.map((value) => value + (9 - value) / 2));
    });
    const sdk = await goal;
    stops.push(sdk.stop);
    const plan = { ...bare, evaluation: { every: 5, participants: 1 } };
    const { code, model } = await runPlan([first, second, sdk] as never, floatModel.write([1, 1]), plan);
    expect([code, floatModel.read(model)]).toEqual([0, [EXPECTED, EXPECTED]]);
  });

  test("get the `config` of a plan that has one, with the names of the run and the round", async () => {
    const bodies: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const body = (await request.json().catch(() => null)) as Record<string, unknown> | null;
        if (body === null) return new Response("no JSON", { status: 400 });
        bodies.push(Object.keys(body).sort().join());
        return Response.json({ parameters: body.parameters, num_examples: 7, accuracy: 1 });
      },
    });
    stops.push(() => server.stop(true));
    const participants = [{ id: "only", url: `http://127.0.0.1:${server.port}` }];
    const plan = { ...bare, rounds: 1, config: { lr: 0.1 } };
    const { code } = await runPlan(participants, floatModel.write([1, 1]), plan);
    expect(code).toBe(0);
    expect(new Set(bodies)).toEqual(new Set(["config,dataset,parameters,round,run_id"]));
  });
});

describe("a run reports in words", () => {
  test.each([
    ["{}", "its response has no base64 text in `parameters`"],
    ['{"parameters":"$$"}', "not base64 of the standard alphabet"],
    ['{"parameters":"AAAA', "its response is not JSON"],
    ['{"parameters":"AAAAAAAAAAA=","metrics":{"parameters":"x"}}', null],
    ['{"metrics":{"parameters":"x"}, "parameters" : "AAAA\\nAAAAAAA="}', null],
  ])("what is wrong with the response %p", async (text, words) => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        url.endsWith("/train")
          ? new Response(text, { headers: { "content-type": "application/json" } })
          : Response.json({ accuracy: 1 }),
    });
    stops.push(() => server.stop(true));
    const plan = { ...bare, rounds: 1, wire: "json" };
    const participants = [{ id: "only", url: `http://127.0.0.1:${server.port}` }];
    const { paused } = await runPlan(participants, floatModel.write([1, 1]), plan);
    if (words === null) expect(paused).toBeNull();
    else expect(paused).toContain(words);
  });

  test("which page a participant answered with", async () => {
    const page = "<!doctype html><title>500</title><h1>Internal\n Server Error</h1><p>It broke.</p>";
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(page, { status: 500 }) });
    stops.push(() => server.stop(true));
    const participants = [{ id: "only", url: `http://127.0.0.1:${server.port}` }];
    const { paused } = await runPlan(participants, floatModel.write([1, 1]), bare);
    expect(paused).toContain("it answered 500: 500 Internal Server Error It broke.");
  });

  test("which settings of a plan contradict its form or its aggregation", async () => {
    const participants = [{ id: "only", url: "http://127.0.0.1:1" }];
    const opaque = { aggregate: "participants", strategy: "median", late: "fold" };
    const { code, err } = await runPlan(participants, floatModel.write([1]), opaque);
    expect(code).toBe(2);
    for (const name of ["strategy", "late"]) {
      expect(err).toContain(`${name} needs updates that the coordinator reads; remove it or aggregate`);
    }
    const packed = await runPlan(participants, floatModel.write([1]), { ...bare, wire: "json", compression: "int8" });
    expect(packed.err).toContain("compression needs the binary form of requests; remove it or wire");
    const unknown = await runPlan(participants, floatModel.write([1]), { wire: "xml", aggregate: "me" });
    expect(unknown.err).toContain("wire must be auto, binary or json");
    expect(unknown.err).toContain("aggregate must be coordinator or participants");
  });
});
