import { expect, test } from "bun:test";
import { Gate } from "./gate.ts";

test("no more run at once than the gate is wide, and a full queue refuses", async () => {
  const gate = new Gate(2, 3, () => new Error("full"));
  let running = 0;
  let most = 0;
  const release = Promise.withResolvers<void>();
  const work = async () => {
    most = Math.max(most, ++running);
    await release.promise;
    running--;
  };
  const accepted = Array.from({ length: 5 }, () => gate.run(work));
  await expect(gate.run(work)).rejects.toThrow("full");
  release.resolve();
  await Promise.all(accepted);
  expect(most).toBe(2);
  await gate.run(async () => undefined);
});

test("a piece of work that throws gives its place back", async () => {
  const gate = new Gate(1, 0, () => new Error("full"));
  await expect(gate.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await gate.run(async () => 7)).toBe(7);
});
