import type { Link } from "../../lib/link.ts";
import type { FairReadingQueue, ReadingEnd, ReadingQueue, ReadingTicket } from "./reading-queue.ts";

/** The supervisor's queue of documents, for a worker. A worker that loses its supervisor ends soon. */
export const readingQueueOver = (link: Link): ReadingQueue => ({
  enter: (ticket) => link.call<void>("reading.enter", [ticket]),
  mustYield: (id) => link.call<boolean>("reading.yield", [id]),
  leave: (id, end) => void link.call<void>("reading.leave", [id, end]).catch(() => undefined),
});

/** Lets the worker behind the link use the queue. Returns what removes its documents. */
export function offerReading(queue: FairReadingQueue, link: Link): () => void {
  const entered = new Set<string>();
  link.on("reading.enter", (ticket: ReadingTicket) => {
    entered.add(ticket.id);
    return queue.enter(ticket);
  });
  link.on("reading.yield", (id: string) => queue.mustYield(id));
  link.on("reading.leave", (id: string, end: ReadingEnd) => {
    entered.delete(id);
    queue.leave(id, end);
  });
  return () => {
    for (const id of entered) queue.leave(id, "done");
  };
}
