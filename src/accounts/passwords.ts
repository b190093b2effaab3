import { availableParallelism } from "node:os";
import { GatewayError } from "../contract/errors.ts";
import { Gate } from "../lib/gate.ts";

/** OWASP's minimum for argon2id: 19 MiB, two passes. What is raised here reaches stored hashes as people log in. */
const TODAY: PasswordCost = { memoryCost: 19_456, timeCost: 2 };

export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
}

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

  constructor(private readonly cost = TODAY) {}

  hash(password: string): Promise<string> {
    return this.gate.run(() => this.hashNow(password));
  }

  /** Whether it was made with less than what is asked for today. */
  isWeak(hash: string): boolean {
    const [, memory, time] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(hash) ?? [];
    return !(Number(memory) >= this.cost.memoryCost && Number(time) >= this.cost.timeCost);
  }

  /** An account that does not exist costs the same work as one that does. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    // Past the queue: one that was refused would be kept, and refuse for ever.
    this.decoy ??= this.hashNow(crypto.randomUUID());
    const target = hash ?? (await this.decoy);
    const matches = await this.gate.run(() => Bun.password.verify(password, target));
    return matches && hash !== null;
  }

  private hashNow(password: string): Promise<string> {
    return Bun.password.hash(password, { algorithm: "argon2id", ...this.cost });
  }
}
