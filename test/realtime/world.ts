import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { listenTo, RealtimeClient, refusal } from "./client.ts";

/** The program behind a port, with somebody who has keys. */
export async function realtimeWorld(config: object = {}, databaseUrl: string | null = null) {
  const app = await startApp(JSON.stringify(config), databaseUrl);
  const server = listenTo(app);
  const owner = await newPerson(app);
  const own = errorFormat(app, owner.token);
  const operator = errorFormat(app, MASTER_KEY);
  const [first] = await app.storage.accounts.teams.list(owner.ownId);
  const teamId = first?.team.id ?? "";
  const newKey = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (await own.post("/api/gw/api-keys", { name: crypto.randomUUID(), teamId, ...more })).body;
  const address = (model: string): string => `${server.url}/v1/realtime?model=${model}`;
  return {
    app,
    server,
    owner,
    own,
    operator,
    teamId,
    newKey,
    address,
    open: (model: string, key: string) => RealtimeClient.open(address(model), { authorization: `Bearer ${key}` }),
    refused: (model: string, key: string) => refusal(address(model), { authorization: `Bearer ${key}` }),
    /** The log of calls, the latest first, once everything so far is in it. */
    async rows(): Promise<Record<string, unknown>[]> {
      await app.service.books.flush();
      return (await operator.get("/spend/logs")).body;
    },
    async close(): Promise<void> {
      await app.service.realtime.stop();
      await server.drain();
      await app.close();
    },
  };
}

export type RealtimeWorld = Awaited<ReturnType<typeof realtimeWorld>>;
