import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { float32, readSafetensors, type Tensors, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { RunWatch } from "../../src/training/run-watch.ts";
import type { TrainingStores } from "../../src/training/store.ts";
import { startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { ALLOWED, personWith, RUNS } from "./hosted.ts";
import { newRun } from "./new-run.ts";
import { baseOf, Group } from "./secure-group.ts";
import { modelOf, type Small, startSmall, valuesOf } from "./small-participants.ts";
import { trainingRuns } from "./start-run.ts";

const MEBIBYTE = 1024 ** 2;

/** An archive whose members all lie over each other: each is the same few packed bytes. */
function archiveOf(members: number, size: number): Uint8Array {
  const packed = deflateRawSync(Buffer.alloc(size));
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  const entries = Array.from({ length: members }, (_, at) => {
    const name = Buffer.from(`${at}.npy`);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, name]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(members, 10);
  end.writeUInt32LE(local.length + packed.length, 16);
  return Buffer.concat([local, packed, ...entries, end]);
}

describe("plans that are sent to do harm", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startAppOn("sqlite", ALLOWED);
  });
  afterAll(() => app.close());

  test("are refused in words", async () => {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
    const refusal = async (plan: unknown, more: object = {}) => {
      const { status, body } = await person.send("POST", RUNS, { plan, ...more });
      expect(status).toBe(400);
      return (body as { error: string }).error;
    };
    const good = { participants: ["north"], rounds: 1 };
    expect(await refusal("participants: [north]\nconfig: &it { again: *it }\n")).toContain("it stands in itself");
    const names = Array.from({ length: 40_000 }, (_, at) => at.toString(36));
    expect(await refusal({ participants: names })).toContain("participants may be 200 at most");
    expect(await refusal({ ...good, secure_agregation: {} })).toContain(
      "unknown setting `secure_agregation`; did you mean `secure_aggregation`?",
    );
    for (const setting of [
      { learning_rate: -1 },
      { learning_rate: 1e308 },
      { learning_rate: "0.1" },
      { learning_rate: null },
      { beta1: 1 },
      { tau: 0 },
      { momentum: -0.5 },
      { f: 0.5 },
      { keep: 0 },
    ]) {
      const [name] = Object.keys(setting);
      expect(await refusal({ ...good, strategy: { name: "fedadam", ...setting } })).toContain(
        `strategy.${name} is not`,
      );
    }
    expect(await refusal({ ...good, strategy: { name: "fedadam", lr: 1 } })).toContain("unknown setting `strategy.lr`");
    const bomb = Buffer.from(archiveOf(1_000, 8 * MEBIBYTE)).toString("base64");
    expect(await refusal(good, { initialModel: bomb })).toContain("unpacked, the archive is larger than");
  });
});

describe("a participant that answers", () => {
  const runs = trainingRuns();
  const started: Array<{ stop(): unknown }> = [];
  afterAll(async () => {
    runs.clean();
    await Promise.all(started.map((one) => one.stop()));
  });
  /** One that trains as it should, and answers the rest as a test wants it. */
  function startOne(id: string, answer: (path: string) => Response | null) {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => answer(new URL(url).pathname) ?? new Response(modelOf([1, 2, 3])),
    });
    started.push({ stop: () => server.stop(true) });
    return { id, url: `http://127.0.0.1:${server.port}` };
  }
  const evaluating = (id: string, text: string) =>
    startOne(id, (path) => (path === "/evaluate" ? new Response(text) : null));

  test("how well it does with numbers of examples that are none counts like one example", async () => {
    const liars = ["-1", "0", "1e308"].map((count, at) =>
      evaluating(`liar${at}`, `{"accuracy":0.5,"num_examples":${count}}`),
    );
    const { outcome } = runs.begin([...liars, evaluating("honest", '{"accuracy":1,"num_examples":3}')], {
      rounds: 1,
      max_examples: 4,
    });
    const { rounds } = await outcome;
    // Examples: 1, 1, 4 (its limit) and 3.
    expect(rounds[0]?.accuracy).toBeCloseTo((0.5 * 6 + 1 * 3) / 9, 12);
  });

  test("how well it does with more than that takes is not read to the end", async () => {
    const long = evaluating("long", `{"accuracy":1}${" ".repeat(2 * MEBIBYTE)}`);
    const { outcome } = runs.begin([long, evaluating("short", '{"accuracy":0.25}')], { rounds: 1 });
    expect((await outcome).rounds[0]?.accuracy).toBe(0.25);
  });

  test("what is no answer at all does not end a run", async () => {
    const { outcome } = runs.begin([evaluating("none", "null"), evaluating("some", '{"accuracy":0.25}')], {
      rounds: 1,
    });
    expect((await outcome).rounds[0]?.accuracy).toBe(0.25);
    const endless = ["1e308", "1e308"].map((accuracy, at) => evaluating(`far${at}`, `{"accuracy":${accuracy}}`));
    const reason = "its accuracy is more than can be counted with";
    expect((await runs.begin(endless, { rounds: 1 }).outcome).rounds[0]).toMatchObject({
      accuracy: null,
      evaluationFailures: endless.map(({ id }) => ({ participant: id, reason })),
    });
    const one = runs.begin([...endless, evaluating("sane", '{"accuracy":0.25}')], { rounds: 1 });
    expect((await one.outcome).rounds[0]?.accuracy).toBe(0.25);
  });

  test("how well it does with a failure is told with the round, and nothing is told where nobody fails", async () => {
    const none = startOne("none", (path) =>
      path === "/evaluate" ? new Response("no rows\u0007to test with", { status: 404 }) : null,
    );
    const [some, wrong] = [evaluating("some", '{"accuracy":0.25}'), evaluating("wrong", '{"accuracy":"good"}')];
    const { outcome, folder } = runs.begin([none, some, wrong], { rounds: 1 });
    const evaluationFailures = [
      { participant: "none", reason: "it answered 404: no rows to test with" },
      { participant: "wrong", reason: "its accuracy is not a number" },
    ];
    expect((await outcome).rounds[0]).toMatchObject({ accuracy: 0.25, evaluationFailures });
    expect(folder.rounds()[0]).toMatchObject({ evaluationFailures });
    const { rounds } = await runs.begin([some], { rounds: 1 }).outcome;
    expect(rounds[0]).not.toHaveProperty("evaluationFailures");
  });

  test("first with another model than all others does not decide what the model is", async () => {
    const other = startOne("a", (path) => (path === "/train" ? new Response(modelOf([1, 2])) : null));
    const { outcome } = runs.begin([other, startOne("b", () => null), startOne("c", () => null)], {
      rounds: 1,
      quorum: 2,
    });
    const { rounds } = await outcome;
    expect(rounds[0]?.dropped).toEqual([{ participant: "a", reason: "w is [2], not [3]" }]);
  });

  test("with a change that 32 bits cannot count with is left out, and nothing endless is remembered", async () => {
    const small = async (id: string, train: (values: number[]) => number[]) => {
      const one = await startSmall(id, 0, (parameters) => modelOf(train(valuesOf(parameters ?? modelOf([])))));
      started.push(one);
      return one;
    };
    const good = await Promise.all(
      Array.from({ length: 5 }, (_, at) => small(`p${at}`, ([a = 0, b = 0, c = 0]) => [a + 1, b - at / 8, c])),
    );
    const reason = "it changes the model by more than can be counted with";
    const dropped = async (liar: Small, last: number, more: object) => {
      const { outcome, folder } = runs.begin(
        [liar, ...good],
        { rounds: 2, quorum: 5, ...more },
        { initial: modelOf([0, 0, last]) },
      );
      const { rounds, model } = await outcome;
      const state = [...folder.loadState(rounds[1]?.stateOut ?? {}).values()];
      expect([valuesOf(model ?? modelOf([])), ...state].every((row) => row.every(Number.isFinite))).toBe(true);
      return rounds[0]?.dropped;
    };
    const across = await small("across", () => [1, 1, 3e38]);
    const strategies = ["fedavg", "fedavgm", "fedadam", "fedyogi", "fedadagrad", "fedbuff", "krum", "multi_krum"];
    // From the one end of all numbers to the other: of lengths without an end nothing can be told.
    for (const strategy of strategies)
      expect(await dropped(across, -3e38, { strategy })).toEqual([{ participant: "across", reason }]);
    expect(await dropped(across, -3e38, { clip: 1 })).toEqual([{ participant: "across", reason }]);
    const far = await small("far", () => [1, 1, 1e20]);
    for (const strategy of ["fedavgm", "fedadam", "fedyogi", "fedadagrad", "fedbuff"])
      expect(await dropped(far, 0, { strategy })).toEqual([{ participant: "far", reason }]);
    expect(await dropped(far, 0, { strategy: "fedadam", clip: 1e25 })).toEqual([{ participant: "far", reason }]);
    // A clip makes it short, and a mean is rid of it with the next round.
    expect(await dropped(far, 0, { strategy: "fedadam", clip: 1 })).toEqual([]);
    expect(await dropped(far, 0, { strategy: "fedavg", outlier_factor: "off" })).toEqual([]);
  });

  test("with more than halves can hold does not leave an infinity in a model of halves", async () => {
    const halves = (dtype: "F16" | "BF16", bits: readonly number[]) =>
      writeSafetensors(new Map([["w", { dtype, shape: [3], bytes: new Uint8Array(Uint16Array.from(bits).buffer) }]]));
    const bitsOf = (bytes: Uint8Array) => [
      ...new Uint16Array(Uint8Array.from(readSafetensors(Uint8Array.from(bytes)).get("w")?.bytes ?? []).buffer),
    ];
    const honest = await startSmall("honest", 0, (parameters) => ({
      parameters: parameters ?? modelOf([]),
      numExamples: 1,
    }));
    const change = new Map([
      ["delta.places", { dtype: "U32" as const, shape: [2], bytes: new Uint8Array(Uint32Array.of(0, 2).buffer) }],
      ["delta.values", float32([3.4028e38, -3.4028e38])],
    ]);
    const liar = await startSmall("liar", 0, () => ({ parameters: writeSafetensors(change), numExamples: 1e9 }));
    started.push(honest, liar);
    for (const [dtype, most] of [
      ["F16", 0x7bff],
      ["BF16", 0x7f7f],
    ] as const) {
      const { outcome } = runs.begin(
        [honest, liar],
        { rounds: 1, evaluation: { every: 9 } },
        { initial: halves(dtype, [0, 0, 0]) },
      );
      expect(bitsOf((await outcome).model ?? modelOf([]))).toEqual([most, 0, most | 0x8000]);
    }
  });

  test("with nothing but garbage is asked once for each model where nobody is waited for", async () => {
    let asked = 0;
    const bad = startOne("bad", (path) => {
      if (path !== "/train") return null;
      asked++;
      return new Response("garbage");
    });
    const plan = { rounds: 2, mode: "asynchronous", buffer: 1, evaluation: { every: 1000 } };
    const initial = modelOf([0, 0, 0]);
    expect((await runs.begin([bad], plan, { initial }).outcome).paused).toContain("bad: the parameters are neither");
    expect(asked).toBe(1);
    const { rounds } = await runs.begin([bad, startOne("good", () => null)], plan, { initial }).outcome;
    expect(rounds).toHaveLength(2);
    expect(asked).toBeLessThanOrEqual(4);
    expect(() => runs.begin([bad], { ...plan, buffer: 1e9 }, { initial })).toThrow("buffer may be 10 at most");
  });

  test("is not blamed for a disk of the coordinator's that takes nothing", async () => {
    const spool = () => join(begun.folder.path, "spool");
    const one = await startSmall("one", 0, () => {
      rmSync(spool(), { recursive: true });
      writeFileSync(spool(), "");
      return modelOf([1, 2, 3]);
    });
    started.push(one);
    const begun = runs.begin([one], { rounds: 1 });
    await expect(begun.outcome).rejects.toThrow(/spool/);
  });

  test("and breaks off in the middle is told without advice to programmers", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhalf"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    started.push({ stop: () => server.close() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { paused } = await runs.begin([{ id: "half", url }], { rounds: 1 }).outcome;
    expect(paused).toContain("half: ");
    expect(paused).not.toContain("verbose");
  });

  test("with a failure is told in one line, without what screens and databases do not bear", async () => {
    const words = `\u0000\u001b[31mno\r\n${"x".repeat(5_000)}`;
    const loud = startOne("loud", (path) => (path === "/train" ? new Response(words, { status: 400 }) : null));
    const { outcome } = runs.begin([loud], { rounds: 1 });
    const { paused } = await outcome;
    expect(paused).toContain("loud: it answered 400:  [31mno xxx");
    expect(paused).not.toMatch(/\p{Cc}/u);
    expect(paused?.length).toBeLessThan(450);
  });

  test("with a failure in a participant's own form is told with its words and its reason", async () => {
    const failure = { error: "no such rows", code: "NOT_FOUND", reason: "unknown_dataset", request_id: "1234" };
    const poor = startOne("poor", (path) => (path === "/train" ? Response.json(failure, { status: 404 }) : null));
    const { paused } = await runs.begin([poor], { rounds: 1 }).outcome;
    expect(paused).toEndWith("(poor: it answered 404: no such rows (unknown_dataset))");
  });

  test("with tensors of hostile names is left out in one line, with or without a model to begin with", async () => {
    const tensors = new Map([
      [`\u0000\u001b[31m\ud800${"x".repeat(20_000)}`, { dtype: "F64", shape: [1], bytes: new Uint8Array(8) }],
    ]);
    const floats = new Map([[`\u0000\u001b[31m${"y".repeat(20_000)}`, float32([1])]]);
    const giving = (id: string, all: Tensors) =>
      startOne(id, (path) => (path === "/train" ? new Response(writeSafetensors(all)) : null));
    const bad = [giving("doubles", tensors as Tensors), giving("floats", floats), giving("more", floats)];
    const good = startOne("good", () => null);
    for (const initial of [modelOf([1, 2, 3]), null]) {
      const { rounds } = await runs.begin([...bad, good], { rounds: 1, quorum: 1 }, { initial }).outcome;
      const dropped = rounds[0]?.dropped ?? [];
      expect(dropped.map(({ participant }) => participant).sort()).toEqual(
        initial === null ? ["doubles", "good"] : ["doubles", "floats", "more"],
      );
      for (const { reason } of dropped) {
        expect(reason.length).toBeLessThanOrEqual(300);
        expect(reason).not.toMatch(/\p{C}/u);
      }
    }
  });

  test("with an archive that becomes far more than the model is left out", async () => {
    const bomb = startOne("bomb", (path) => (path === "/train" ? new Response(archiveOf(10, MEBIBYTE)) : null));
    const plan = { rounds: 1, quorum: 1 };
    const { outcome } = runs.begin([bomb, evaluating("small", '{"accuracy":1}')], plan, {
      initial: modelOf([1, 2, 3]),
    });
    const { rounds } = await outcome;
    expect(rounds[0]?.dropped).toEqual([
      { participant: "bomb", reason: expect.stringContaining("unpacked, the archive is larger than") },
    ]);
  });
});

describe("keys that would have everybody refuse a secure round", () => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
  const members = Array.from({ length: 5 }, (_, at) => ({ id: `p${at}`, change: [at, 1], examples: 1 }));
  test.each([
    ["of low order", ["p0"], { cipher_key: key(0), mask_key: key(9) }],
    ["that are one", ["p0"], { cipher_key: key(9), mask_key: key(9) }],
    ["of two participants", ["p0", "p1"], { cipher_key: key(9), mask_key: key(7) }],
  ])("%s drop out whoever gives them, and nobody else", async (_, liars, answer) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(answer) });
    const url = `http://127.0.0.1:${server.port}`;
    const group = new Group(members, baseOf(2), new Map(liars.map((id) => [id, url])));
    try {
      const outcome = await group.run();
      if ("why" in outcome) throw new Error(outcome.why);
      expect(outcome.survivors).toHaveLength(5 - liars.length);
      expect(outcome.dropped.map(({ participant, phase }) => [participant, phase])).toEqual(
        liars.map((id) => [id, "keys"]),
      );
    } finally {
      group.remove();
      await server.stop(true);
    }
  });
});

describe("those who watch a run", () => {
  const mayLook = async () => true;
  const run = newRun("an organization", { status: "running", eventsMade: 1 });
  const data = { status: "completed", reason: null } as const;
  const end = { runId: run.id, number: 2, at: 0, kind: "status", round: null, data } as const;
  const listAfter = async (_: string, number: number) => (number < 2 ? [end] : []);
  const watchOf = (streamsMax?: number) =>
    new RunWatch({ events: { listAfter } } as unknown as TrainingStores, () => false, streamsMax);

  test("from a number that it never had see its end", async () => {
    const seen = await Array.fromAsync(watchOf().watch(run, 5_000, new AbortController().signal, mayLook));
    expect(seen).toEqual([end]);
  });

  test("are told before the first byte when they are too many", async () => {
    const watch = watchOf(1);
    const first = watch.watch(run, 0, new AbortController().signal, mayLook);
    await first.next();
    expect(() => watch.watch(run, 0, new AbortController().signal, mayLook)).toThrow("Too many watch");
    await first.return(undefined);
    expect(() => watch.watch(run, 0, new AbortController().signal, mayLook)).not.toThrow();
  });

  test("of one organization are a fifth of all at most, so that others find a place", async () => {
    const watch = watchOf(10);
    const begin = async (organizationId: string) => {
      const one = watch.watch({ ...run, organizationId }, 0, new AbortController().signal, mayLook);
      await one.next();
      return one;
    };
    const [first] = [await begin("a"), await begin("a")];
    await expect(begin("a")).rejects.toThrow("Too many watch");
    await begin("b");
    await first?.return(undefined);
    await begin("a");
  });
});
