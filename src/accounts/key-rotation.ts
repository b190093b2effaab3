import { momentAfter } from "../contract/duration.ts";
import { GatewayError } from "../contract/errors.ts";
import type { ApiKey, Rotation } from "./records.ts";

/** What people may set of it. What is left out stays as it is. */
export interface RotationSettings {
  readonly autoRotate?: boolean | null | undefined;
  /** A duration such as `30d`; null ends the rotation. */
  readonly rotationInterval?: string | null | undefined;
  /** Null: as long as is usual. */
  readonly rotationGraceSeconds?: number | null | undefined;
}

export const NO_ROTATION: Rotation = {
  rotationInterval: null,
  rotationGraceSeconds: null,
  rotationAt: null,
  rotationCount: 0,
  rotatedAt: null,
  unseenAt: null,
};

const HOUR_MS = 60 * 60_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const GRACE_SECONDS_MIN = 60;
const WEEK_SECONDS = 7 * 24 * 60 * 60;
/** A value that somebody has to pick up takes a person's time; one that changes by the minute is never the right one. */
const INTERVAL_MS = { min: HOUR_MS, max: 10 * YEAR_MS };

/** Settings as they are stored. Another interval counts from now on. */
export function readRotation(settings: RotationSettings, present: Rotation, nowMs: number): Partial<Rotation> {
  const { autoRotate, rotationInterval, rotationGraceSeconds } = settings;
  if ([autoRotate, rotationInterval, rotationGraceSeconds].every((one) => one === undefined)) return {};
  const stays = rotationInterval !== null && present.rotationInterval !== null;
  const isOn = autoRotate === undefined ? stays : autoRotate === true;
  if (!isOn) {
    if (rotationInterval != null) throw invalid("rotationInterval", "it needs `autoRotate`.");
    if (rotationGraceSeconds != null) throw invalid("rotationGraceSeconds", "it needs `autoRotate`.");
    return { rotationInterval: null, rotationGraceSeconds: null, rotationAt: null };
  }
  const interval = rotationInterval === undefined ? present.rotationInterval : rotationInterval;
  if (interval === null) throw invalid("rotationInterval", "`autoRotate` needs it: say how often, such as 30d.");
  const nextAt = momentAfter(nowMs, interval, "rotationInterval");
  const lengthMs = nextAt - nowMs;
  if (lengthMs < INTERVAL_MS.min || lengthMs > INTERVAL_MS.max) {
    throw invalid("rotationInterval", "an hour at least, ten years at most.");
  }
  const grace = rotationGraceSeconds === undefined ? present.rotationGraceSeconds : rotationGraceSeconds;
  if (grace !== null && grace < GRACE_SECONDS_MIN) {
    throw invalid("rotationGraceSeconds", "a minute at least: somebody has to pick the new value up.");
  }
  if (grace !== null && grace * 1000 > lengthMs) {
    throw invalid("rotationGraceSeconds", "it is longer than the interval: the value before would never end.");
  }
  const rotationAt = interval === present.rotationInterval ? present.rotationAt : nextAt;
  return { rotationInterval: interval, rotationGraceSeconds: grace, rotationAt };
}

/** For how long the value before goes on after a scheduled rotation; null where there is none. */
export function graceSecondsOf({ rotationInterval, rotationGraceSeconds }: Rotation, nowMs: number): number | null {
  if (rotationInterval === null) return null;
  const lengthMs = momentAfter(nowMs, rotationInterval, "rotationInterval") - nowMs;
  return rotationGraceSeconds ?? Math.min(WEEK_SECONDS, Math.floor(lengthMs / 1000));
}

/** What every rotation leaves behind, by whomever: the schedule begins anew. */
export const afterRotation = ({ rotationInterval, rotationCount }: Rotation, nowMs: number) => ({
  rotationCount: rotationCount + 1,
  rotatedAt: nowMs,
  rotationAt: rotationInterval === null ? null : momentAfter(nowMs, rotationInterval, "rotationInterval"),
});

/** The value that programs have: the present one, or the one before while nobody has seen the present one. */
export function valueInUse(key: ApiKey, nowMs: number): string | null {
  if (key.unseenAt === null) return key.hash;
  return (key.previousUntil ?? 0) > nowMs ? key.previousHash : null;
}

/** Bound to the very value, so that what was kept for another one does not open. */
export const sealedUse = ({ id, hash }: Pick<ApiKey, "id" | "hash">): string => `api-key:${id}:${hash}`;

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
