import { availableParallelism } from "node:os";
import { GatewayError } from "../contract/errors.ts";
import { Gate } from "../lib/gate.ts";

/** OWASP's minimum for argon2id: 19 MiB, two passes. What is raised here reaches stored hashes as people log in. */
const OPTIONS = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Hashing takes memory and a core for tens of milliseconds, so it is queued, and the queue has an end. */
export class Passwords {
  private readonly gate = new Gate(
    availableParallelism() * 2,
    64,
    () =>
      new GatewayError("unavailable", "Too many log-ins at once; try again shortly.", {
        headers: { "retry-after": "1" },
      }),
  );
  private decoy: Promise<string> | null = null;

  hash(password: string): Promise<string> {
    return this.gate.run(() => Bun.password.hash(password, OPTIONS));
  }

  /** Whether it was made with less than what is asked for today. */
  isWeak(hash: string): boolean {
    const [, memory, time] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(hash) ?? [];
    return !(Number(memory) >= OPTIONS.memoryCost && Number(time) >= OPTIONS.timeCost);
  }

  /** An account that does not exist costs the same work as one that does. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    // Past the queue: one that was refused would be kept, and refuse for ever.
    this.decoy ??= Bun.password.hash(crypto.randomUUID(), OPTIONS);
    const target = hash ?? (await this.decoy);
    const matches = await this.gate.run(() => Bun.password.verify(password, target));
    return matches && hash !== null;
  }
}
