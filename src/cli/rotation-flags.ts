import type { Command } from "commander";
import { readSeconds } from "./read-expiry.ts";

export interface RotationFlags {
  readonly rotateEvery?: string;
  readonly rotationGrace?: number;
}

export const withRotation = (command: Command): Command =>
  command
    .option("--rotate-every <duration>", "give it a new value so often, such as 30d or 3mo; never ends that")
    .option("--rotation-grace <seconds>", "for how long the value before then goes on, or such as 12h", readSeconds);

/** What is not named stays. */
export function rotationBody({ rotateEvery, rotationGrace }: RotationFlags): Record<string, unknown> {
  const isOff = rotateEvery === "never" || rotateEvery === "none";
  return {
    autoRotate: rotateEvery === undefined ? undefined : !isOff,
    rotationInterval: isOff ? null : rotateEvery,
    rotationGraceSeconds: rotationGrace,
  };
}
