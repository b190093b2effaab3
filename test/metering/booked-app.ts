import { afterAll } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { MemoryBooks } from "./memory-books.ts";

/** A service over books in memory and an upstream of the test's own; both end with its file. */
export async function startBooked(config: object, upstream: { stop(closeNow: boolean): Promise<void> }) {
  const books = new MemoryBooks();
  const app = await startApp(JSON.stringify(config), null, systemClock, { ledger: books });
  afterAll(async () => {
    await app.close();
    await upstream.stop(true);
  });
  return { app, books };
}
