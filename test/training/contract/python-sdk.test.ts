import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSafetensors, type Tensor, withMetadata, writeSafetensors } from "../../../sdk/typescript/src/index.ts";
import { preparePython } from "../../e2e/prepare-python.ts";
import { newFolder } from "../../e2e/process.ts";
import { modelOf, startSmall } from "../small-participants.ts";
import { trainingRuns } from "../start-run.ts";

const withNumpy = await preparePython(["numpy==2.4.6"]);
const runs = trainingRuns();
const folder = newFolder();
const children: Bun.Subprocess[] = [];
const stops: Array<() => unknown> = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([...children.map(({ exited }) => exited), ...stops.map((stop) => stop())]);
  runs.clean();
  folder.remove();
});

const python = (name: string) => join(import.meta.dir, "python", name);
const sdk = join(import.meta.dir, "../../../sdk/python");
/** The real torch where it is installed, which is seldom. */
const hasTorch = Bun.spawnSync(["python3", "-c", "import torch"], { stderr: "ignore" }).exitCode === 0;

/** Starts a script that prints its address. */
async function start(...args: readonly string[]): Promise<string> {
  const paths = hasTorch ? sdk : `${sdk}:${join(import.meta.dir, "python")}`;
  const child = Bun.spawn(["python3", ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: folder.path, PYTHONPATH: paths, PYTHONDONTWRITEBYTECODE: "1" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  children.push(child);
  const { value } = await child.stdout.getReader().read();
  return Buffer.from(value ?? [])
    .toString()
    .trim();
}

const bytesOf = (array: ArrayBufferView): Uint8Array => new Uint8Array(array.buffer as ArrayBuffer);
const bfloats = (...values: number[]): Uint8Array => bytesOf(Uint16Array.from(values, (value) => upperHalf(value)));
const upperHalf = (value: number): number => (new Uint32Array(Float32Array.of(value).buffer)[0] as number) >>> 16;

describe("the Python SDK", () => {
  test("trains with tensors of torch, BF16 among them, and the model keeps its metadata", async () => {
    const url = await start(python("torch_participant.py"));
    const tensors = new Map<string, Tensor>([
      ["full", { dtype: "F32", shape: [1, 2], bytes: bytesOf(Float32Array.of(1, 2)) }],
      ["half", { dtype: "BF16", shape: [3], bytes: bfloats(1, -2, 0.5) }],
      ["none", { dtype: "F32", shape: [0, 4], bytes: new Uint8Array() }],
      ["step", { dtype: "I64", shape: [1], bytes: bytesOf(BigInt64Array.of(7n)) }],
    ]);
    const initial = writeSafetensors(withMetadata(tensors, { metadata: { format: "pt", note: "größe" } }));
    const { outcome } = runs.begin([{ id: "torch", url }], { rounds: 2 }, { initial });
    const { model, paused } = await outcome;
    expect(paused).toBeNull();
    const trained = readSafetensors(Uint8Array.from(model ?? []));
    expect(trained.metadata).toEqual({ format: "pt", note: "größe" });
    expect([...trained].map(([name, { dtype, shape }]) => [name, dtype, shape])).toEqual([
      ["full", "F32", [1, 2]],
      ["half", "BF16", [3]],
      ["none", "F32", [0, 4]],
      ["step", "I64", [1]],
    ]);
    expect(trained.get("full")?.bytes).toEqual(bytesOf(Float32Array.of(3, 4)));
    expect(trained.get("half")?.bytes).toEqual(bfloats(3, 0, 2.5));
    expect(trained.get("step")?.bytes).toEqual(bytesOf(BigInt64Array.of(7n)));
  });

  test.skipIf(withNumpy === null)("reads BF16 into numpy, and widens it to 32 bits", async () => {
    const script =
      "import sys, turnpike_participant as t; w = t.to_numpy(t.read_tensors(sys.stdin.buffer.read())['w']);" +
      "print(w.dtype, w.shape, w.tolist(), t.from_numpy(w).dtype)";
    const child = Bun.spawn([withNumpy ?? "", "-c", script], {
      env: { PATH: process.env.PATH ?? "", PYTHONPATH: sdk, PYTHONDONTWRITEBYTECODE: "1" },
      stdin: Buffer.from(
        writeSafetensors(new Map([["w", { dtype: "BF16", shape: [1, 3], bytes: bfloats(1, -2.5, 3e38) }]])),
      ),
    });
    const widened = new Float32Array(Uint32Array.of(upperHalf(3e38) * 65_536).buffer)[0] as number;
    const text = await new Response(child.stdout).text();
    expect(text).toStartWith("float32 (1, 3) [[1.0, -2.5, ");
    expect(Number(/([^ ]+)\]\] F32\n$/.exec(text)?.[1])).toBe(widened);
  });

  test("keeps the metadata in a mean, as the TypeScript SDK does", async () => {
    const named = (value: number) =>
      writeSafetensors(
        withMetadata(new Map([["w", { dtype: "F32", shape: [1], bytes: bytesOf(Float32Array.of(value)) }]]), {
          metadata: { format: "pt" },
        }),
      );
    const script =
      "import sys, turnpike_participant as t; d = sys.stdin.buffer.read(); h = len(d) // 2;" +
      "sys.stdout.buffer.write(t.weighted_mean([d[:h], d[h:]]))";
    const child = Bun.spawn(["python3", "-c", script], {
      env: { PATH: process.env.PATH ?? "", PYTHONPATH: sdk, PYTHONDONTWRITEBYTECODE: "1" },
      stdin: Buffer.concat([named(1), named(3)]),
    });
    expect(new Uint8Array(await new Response(child.stdout).arrayBuffer())).toEqual(named(2));
  });

  test("runs a model of the original SDK: methods without a data set, and parameters that only participants read", async () => {
    const urls = await Promise.all(
      [[1, 2], [4, 5], [6]].map((rows, at) => {
        const file = join(folder.path, `rows${at}.json`);
        writeFileSync(file, JSON.stringify(rows));
        return start(python("flock_participant.py"), file);
      }),
    );
    const call = async (path: string, body: object) => {
      const response = await fetch(urls[0] + path, { method: "POST", body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };
    // Its clients send no data set.
    expect(await call("/call", { method: "train", parameters: null })).toEqual([200, { parameters: btoa("3") }]);
    expect(await call("/evaluate", { parameters: btoa("5"), dataset: [] })).toEqual([200, { accuracy: 5 }]);
    const participants = urls.map((url, at) => ({ id: `p${at}`, url }));
    const { outcome } = runs.begin(participants, { aggregate: "participants" });
    const { model, paused } = await outcome;
    expect(paused).toBeNull();
    // The means of a round: (3 + 9 + 6) / 3 = 6 more each time.
    expect(Buffer.from(model ?? []).toString()).toBe("18");
  });

  test("says what a function must return", async () => {
    const small = await startSmall("small", 0, (() => ({ w: [1, 2] })) as never);
    stops.push(small.stop);
    const { outcome } = runs.begin([small], { rounds: 1 }, { initial: modelOf([1, 2, 3]) });
    expect((await outcome).paused).toContain("the train function must return bytes or named tensors");
  });
});
