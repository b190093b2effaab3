import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { Pool, type PoolClient } from "pg";
import { canonicalTypes } from "./canonical-types.ts";
import { isConnectionLoss } from "./connection-loss.ts";

/** The server cancels first and keeps the connection usable; the client gives up only on a server that is mute. */
const CLIENT_GRACE_MS = 200;

export interface PostgresSettings {
  readonly url: string;
  /** How long to wait for a connection. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take; null where only its size decides, as in a migration. */
  readonly statementTimeoutMs: number | null;
  readonly connectionsMax: number;
}

export function openPool(settings: PostgresSettings): PostgresPool {
  const pool = new Pool({
    connectionString: settings.url,
    application_name: "turnpike",
    max: settings.connectionsMax,
    keepAlive: true,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    types: canonicalTypes,
    ...timeouts(settings.statementTimeoutMs),
  });
  // Without listeners an error event ends the process. The statement that meets the loss reports it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    options: {},
    connect: async () => leased(await pool.connect()),
    end: () => pool.end(),
  };
}

function timeouts(statementTimeoutMs: number | null) {
  if (statementTimeoutMs === null) return {};
  return {
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + CLIENT_GRACE_MS,
    // A transaction waits for nothing but its own statements; one that was forgotten must not keep its locks.
    idle_in_transaction_session_timeout: statementTimeoutMs,
  };
}

/** pg would put a client whose query timed out back into the pool, where the next user waits behind that query. */
function leased(client: PoolClient): PostgresPoolClient {
  let loss: unknown = null;
  async function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (loss !== null) throw loss;
    try {
      return (await client.query(text, [...parameters])) as unknown as PostgresQueryResult<R>;
    } catch (error) {
      if (isConnectionLoss(error)) loss = error;
      throw error;
    }
  }
  return {
    query: query as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy === true || loss !== null),
  };
}
