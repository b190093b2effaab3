import { GuardrailBlock } from "./block.ts";
import { CallGuards } from "./call-guards.ts";
import { TooMuchFound } from "./detector.ts";
import type { Finding, Guard, JudgedCall } from "./guard.ts";
import { GuardrailSchedule } from "./guardrail-schedule.ts";
import { findAll } from "./scanner.ts";

export interface TestResult {
  readonly findings: readonly Pick<Finding, "category" | "start" | "end">[];
  /** Whether a call with this text would be refused. */
  readonly blocked: boolean;
  readonly maskedText: string | null;
}

const CALL: JudgedCall = {
  callId: "test",
  model: "test",
  phase: "request",
  extra: {},
  signal: new AbortController().signal,
  leftMs: null,
};

/** What a guardrail finds in a text, whenever it would look. */
export async function runGuardrailTest(guard: Guard, text: string): Promise<TestResult> {
  const findings = await look(guard, text);
  const guards = new CallGuards(new GuardrailSchedule([{ ...guard, modes: ["pre_call"] }]), CALL, new Map());
  try {
    const [shown = text] = await guards.request([text]);
    return { findings, blocked: false, maskedText: guard.action === "mask" ? shown : null };
  } catch (thrown) {
    if (thrown instanceof GuardrailBlock) return { findings, blocked: true, maskedText: null };
    throw thrown;
  }
}

async function look({ detectors, judge }: Guard, text: string): Promise<TestResult["findings"]> {
  if (judge) {
    const found = await judge.judge([text], CALL);
    return found.map(({ category, start, end }) => ({ category, start, end }));
  }
  try {
    return findAll(detectors ?? [], text);
  } catch (thrown) {
    if (thrown instanceof TooMuchFound) return [{ category: thrown.category, start: null, end: null }];
    throw thrown;
  }
}
