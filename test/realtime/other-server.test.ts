import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { postgresMissing } from "../services/postgres.ts";
import { freshDatabase } from "../storage/databases.ts";
import { RealtimeClient } from "./client.ts";
import { realtimeWorld } from "./world.ts";

describe.skipIf(postgresMissing !== null)("a session at a server that serves nothing else", async () => {
  if (postgresMissing !== null) return;
  const database = await freshDatabase("postgres");
  const { databaseUrl } = database.settings;
  // Told of the database, a server counts on others.
  const config = { general_settings: { database_url: databaseUrl } };
  const world = await realtimeWorld(config, databaseUrl);
  const other = await startApp(JSON.stringify(config), databaseUrl);
  afterAll(async () => {
    await world.close();
    await other.close();
    database[Symbol.dispose]();
  });

  test("ends when whom it is for is blocked at another one, also as the first end user of its organization", async () => {
    const { key } = await world.newKey();
    const headers = { authorization: `Bearer ${key}`, "x-gw-end-user-id": "ann" };
    const client = await RealtimeClient.open(world.address("echo-realtime"), headers);
    const blocked = await errorFormat(other, world.owner.token).post("/customer/block", { user_ids: ["ann"] });
    expect(blocked.status).toBe(200);
    expect((await client.closed).code).toBe(1008);
    expect(client.heard.at(-1)).toMatchObject({ type: "error", error: { code: "permission_denied" } });
  }, 60_000);
});
