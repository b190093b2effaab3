import type { RealtimeSession } from "./session.ts";

const TICK_MS = 500;

/** The sessions of this process. Looks at each of them now and then; the timer runs only while there is one. */
export class RealtimeSessions {
  private readonly open = new Set<RealtimeSession>();
  private timer: ReturnType<typeof setInterval> | null = null;

  add(session: RealtimeSession): void {
    this.open.add(session);
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  remove(session: RealtimeSession): void {
    this.open.delete(session);
    if (this.open.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  /** Ends all of them, and waits until they are in the books. */
  async stop(): Promise<void> {
    for (const session of this.open) session.goingAway();
    await Promise.all([...this.open].map(({ finished }) => finished));
  }

  private tick(): void {
    for (const session of this.open) session.tick();
  }
}
