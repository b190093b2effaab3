import type { Message, MessagePart, Thread } from "./records.ts";
import type { Run, Step, StepCall } from "./run-records.ts";

/** What happens while a run is carried out, in the order in which it does. */
export type RunEvent =
  | { readonly kind: "thread"; readonly thread: Thread }
  | { readonly kind: "run"; readonly name: "created" | Run["status"]; readonly run: Run }
  | { readonly kind: "step"; readonly name: "created" | Step["status"]; readonly step: Step }
  | { readonly kind: "message"; readonly name: "created" | Message["status"]; readonly message: Message }
  /** More of a text, or annotations of what was said. */
  | {
      readonly kind: "text";
      readonly messageId: string;
      readonly text: string;
      readonly annotations: (MessagePart & { type: "text" })["text"]["annotations"];
    }
  | { readonly kind: "call"; readonly stepId: string; readonly index: number; readonly call: Partial<StepCall> }
  | { readonly kind: "error"; readonly thrown: unknown };

/** Events of one run for one reader: they wait here until they are read. */
export class RunWatch {
  private readonly waiting: RunEvent[] = [];
  private ended = false;
  private left = false;
  private wake: () => void = () => undefined;

  push(event: RunEvent): void {
    if (this.left) return;
    this.waiting.push(event);
    this.wake();
  }

  end(): void {
    this.ended = true;
    this.wake();
  }

  /** Nobody reads any more: nothing is kept for them. */
  leave(): void {
    this.left = true;
    this.waiting.length = 0;
  }

  /** Null behind the last one. */
  async next(): Promise<RunEvent | null> {
    for (;;) {
      const event = this.waiting.shift();
      if (event) return event;
      if (this.ended) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
