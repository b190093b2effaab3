import { sleep } from "../lib/sleep.ts";
import { CliError, EXIT } from "./cli-error.ts";
import type { Output } from "./output.ts";
import { PATIENCE_SECONDS } from "./patiently.ts";

const AGAIN_MS = 1_000;
const AGAIN_MAX = 60;

/** A server that is started again goes on with what it was at: whoever follows that waits for it. */
export class Absence {
  private lost = 0;

  constructor(private readonly output: Output) {}

  isOver(): void {
    this.lost = 0;
  }

  /** Throws again what is no absence, and what has been one for too long. */
  async wait(thrown: unknown): Promise<void> {
    if (!isAway(thrown) || this.lost++ === AGAIN_MAX) throw thrown;
    if (this.lost === 1) this.output.note("The server cannot be reached; waiting for it to come back.");
    await sleep(Math.max(AGAIN_MS, Math.min(PATIENCE_SECONDS, thrown.retrySeconds ?? 0) * 1000));
  }
}

/** Nobody is there, or somebody who is about to end. */
const isAway = (thrown: unknown): thrown is CliError =>
  thrown instanceof CliError && (thrown.exit === EXIT.network || thrown.code === "SERVER_ERROR");
