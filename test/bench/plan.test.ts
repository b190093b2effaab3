import { expect, test } from "bun:test";
import type { Running } from "../../bench/contenders/contender.ts";
import { plannedOf } from "../../bench/plan.ts";
import { WORKLOADS, workloadOf } from "../../bench/workloads.ts";

const target: Running = {
  port: 4000,
  pid: null,
  headers: () => ({ "x-gw-api-key": "sk-one" }),
  model: (dialect) => `bench-${dialect}`,
  keys: ["sk-a", "sk-b"],
  stop: async () => undefined,
};

test("a mix has its hundred calls, and each kind is spread over the mix", () => {
  const planned = plannedOf(target, workloadOf("mix"));
  expect(planned).toHaveLength(100);
  expect(planned.filter(({ check }) => check === "stream")).toHaveLength(24);
  expect(planned.filter(({ text }) => text.includes("bench-anthropic"))).toHaveLength(7);
  const firstHalf = planned.slice(0, 50).filter(({ check }) => check === "stream").length;
  expect(firstHalf).toBeWithin(10, 15);
});

test("a request has the length of its body, and the keys in turn", () => {
  for (const { text } of plannedOf(target, workloadOf("keys"))) {
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
  }
  const keys = plannedOf(target, workloadOf("keys")).map(({ text }) => /x-gw-api-key: (\S+)/.exec(text)?.[1]);
  expect(keys).toEqual(["sk-a", "sk-b"]);
});

test("varied calls are never repeated", () => {
  const texts = [workloadOf("varied"), workloadOf("varied")]
    .flatMap((each) => plannedOf(target, each))
    .map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
});

test("a workload that is compared with another names an existing one", () => {
  for (const { floor, longerThan } of WORKLOADS) {
    for (const name of [floor, longerThan?.workload]) if (name !== undefined) expect(workloadOf(name).name).toBe(name);
  }
});
