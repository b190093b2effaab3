import type { Behaviour, UpstreamPlan } from "./upstream.ts";

export interface Scenario {
  readonly name: string;
  /** For the reader of the table. */
  readonly says: string;
  readonly upstreams: readonly UpstreamPlan[];
}

const WELL: Behaviour = {};
const always = (behaviour: Behaviour) => (): Behaviour => behaviour;

/** From the second half minute on: what came before tells a strategy what is usual. */
const later = (behaviour: Behaviour) => (nowMs: number) => (nowMs < 30_000 ? WELL : behaviour);

/** Away for ten seconds, well for twenty. */
const flapping = (nowMs: number): Behaviour => (nowMs % 30_000 >= 20_000 ? { dead: true } : WELL);

const good: UpstreamPlan = { firstTokenMs: 400, slots: 60, at: always(WELL) };

const oneOf = (count: number, odd: UpstreamPlan["at"]): readonly UpstreamPlan[] => [
  ...Array.from({ length: count - 1 }, () => good),
  { ...good, at: odd },
];

const troubles = (count: number): readonly Scenario[] => [
  { name: "even", says: "all are well", upstreams: oneOf(count, always(WELL)) },
  { name: "slow", says: "one takes ten times as long", upstreams: oneOf(count, later({ slowness: 10 })) },
  { name: "failing", says: "one answers every second call with 500", upstreams: oneOf(count, later({ failing: 0.5 })) },
  { name: "hanging", says: "one takes calls and never answers", upstreams: oneOf(count, later({ hanging: true })) },
  { name: "dead", says: "one refuses connections", upstreams: oneOf(count, later({ dead: true })) },
  { name: "flapping", says: "one is away for 10 of every 30 seconds", upstreams: oneOf(count, flapping) },
];

/** Four deployments, where there is something to choose from. */
export const OF_FOUR: readonly Scenario[] = [
  ...troubles(4).slice(0, 1),
  {
    name: "uneven",
    says: "200, 400, 800 and 1600 ms; slower ones take fewer calls",
    upstreams: [
      { firstTokenMs: 200, slots: 90, at: always(WELL) },
      { firstTokenMs: 400, slots: 60, at: always(WELL) },
      { firstTokenMs: 800, slots: 30, at: always(WELL) },
      { firstTokenMs: 1_600, slots: 15, at: always(WELL) },
    ],
  },
  ...troubles(4).slice(1),
  {
    name: "rate-limited",
    says: "two take 120 calls a minute, then answer 429",
    upstreams: [good, good, ...Array.from({ length: 2 }, () => ({ ...good, at: always({ perMinute: 120 }) }))],
  },
];

/** Two deployments, as many have them: one in trouble, with the strategy that such a group has by itself. */
export const OF_TWO: readonly Scenario[] = troubles(2);
