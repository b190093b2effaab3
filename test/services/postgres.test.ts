import { expect, test } from "bun:test";
import { Client } from "pg";
import { postgresMissing, startPostgres } from "./postgres.ts";

test.skipIf(postgresMissing !== null)(
  "a private PostgreSQL whose port was taken meanwhile has another one",
  async () => {
    using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    using free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const ports = [taken.port, free.port];
    const server = await startPostgres(async () => {
      if (ports.length === 1) await free.stop(true);
      return ports.shift() ?? 0;
    });
    const client = new Client({ connectionString: server?.url ?? "" });
    await client.connect();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.end();
    await server?.stop();
  },
);

test.skipIf(postgresMissing !== null)("a private PostgreSQL that cannot start says why", async () => {
  using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await expect(startPostgres(async () => taken.port ?? 0)).rejects.toThrow("Address already in use");
});
