import { availableParallelism } from "node:os";
import { GatewayError } from "../contract/errors.ts";
import { Gate } from "../lib/gate.ts";

/** OWASP's minimum for argon2id: 19 MiB, two passes. */
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

  /** An account that does not exist costs the same work as one that does. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    this.decoy ??= this.hash(crypto.randomUUID());
    const target = hash ?? (await this.decoy);
    const matches = await this.gate.run(() => Bun.password.verify(password, target));
    return matches && hash !== null;
  }
}
