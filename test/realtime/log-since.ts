import type { RealtimeWorld } from "./world.ts";

export interface LoggedRow {
  readonly spend: number;
  readonly total_tokens: number;
  readonly call_type: string;
  readonly model: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What is in the log and was not when `begin` was called. */
export class LogSince {
  private before = new Set<unknown>();

  constructor(private readonly world: Pick<RealtimeWorld, "rows">) {}

  async begin(): Promise<void> {
    this.before = new Set((await this.world.rows()).map(({ request_id }) => request_id));
  }

  async added(): Promise<LoggedRow[]> {
    const fresh = (await this.world.rows()).filter(({ request_id }) => !this.before.has(request_id));
    return fresh as unknown as LoggedRow[];
  }
}

/** Looks again and again; a test that waits in vain ends by its time limit. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await Bun.sleep(20);
};
