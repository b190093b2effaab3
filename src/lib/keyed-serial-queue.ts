import { SerialQueue } from "./serial-queue.ts";

interface Queue {
  readonly turns: SerialQueue;
  waiting: number;
}

/** Pieces of work of one key one after another, in the order in which they were asked for; those of others go on meanwhile. */
export class KeyedSerialQueue {
  private readonly queues = new Map<string, Queue>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { turns: new SerialQueue(), waiting: 0 };
    this.queues.set(key, queue);
    queue.waiting++;
    try {
      return await queue.turns.run(work);
    } finally {
      queue.waiting--;
      if (queue.waiting === 0) this.queues.delete(key);
    }
  }
}
