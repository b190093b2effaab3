import { type ClientEars, ClientSockets } from "./client-socket.ts";
import type { Dispatcher, Handler } from "./dispatch.ts";
import type { Connection } from "./route.ts";

export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  readonly drainTimeoutMs: number;
  /** Whether processes of the same server listen on the port as well: the first one sees to it that nobody else does. */
  readonly sharing?: "none" | "first" | "joins";
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Calls that are running now, streams and WebSockets included. */
  pendingCalls(): number;
  /** Waits for running calls up to the time-out, then closes every connection. True when all of them ended by themselves. */
  drain(): Promise<boolean>;
}

/** The kernel enforces each operation's own limit; this one only keeps Bun from refusing earlier. */
const TRANSPORT_BYTES_MAX = 4 * 1024 ** 3;
/** A connection that is silent for this long is dropped, unless its call keeps it open: those that last do, well before. */
const IDLE_SECONDS = 60;
const DRAIN_POLL_MS = 20;
/** Streams that a drain interrupts have so long to send their last event, and WebSockets to answer that they are closed. */
const GOODBYE_MS = 1_000;

class ServerConnection implements Connection {
  isUpgraded = false;

  constructor(
    private readonly server: Bun.Server<ClientEars>,
    private readonly request: Request,
    private readonly closing: Set<() => void>,
  ) {}

  keepOpen(): void {
    this.server.timeout(this.request, 0);
  }

  release(): void {
    this.server.timeout(this.request, IDLE_SECONDS);
  }

  onClosing(stop: () => void): () => void {
    this.closing.add(stop);
    return () => this.closing.delete(stop);
  }

  upgrade(ears: ClientEars, headers: Readonly<Record<string, string>>): boolean {
    this.isUpgraded = this.server.upgrade(this.request, { data: ears, headers });
    return this.isUpgraded;
  }

  get remoteAddress(): string | null {
    return this.server.requestIP(this.request)?.address ?? null;
  }
}

/** A shared port is shared with whoever asks for that, also with a stranger: only one that is not shared tells. */
function refuseTaken({ host, port }: ListenSettings): void {
  if (port !== 0) Bun.listen({ hostname: host, port, exclusive: true, socket: { data: () => undefined } }).stop(true);
}

/** What has become a WebSocket is answered already, and the runtime wants nothing more. */
async function answerOrUpgrade(
  handler: Handler,
  request: Request,
  connection: ServerConnection,
): Promise<Response | undefined> {
  const response = await handler(request, connection);
  return connection.isUpgraded ? undefined : response;
}

/** Paths without parameters go through Bun's own route table; all others through ours. Both end in the same handler. */
export function listen(dispatcher: Dispatcher, settings: ListenSettings): HttpServer {
  const routes: Record<string, (request: Request, server: Bun.Server<ClientEars>) => Promise<Response | undefined>> =
    {};
  const closing = new Set<() => void>();
  for (const [path, handler] of dispatcher.literal) {
    routes[path] = dispatcher.sockets.has(path)
      ? (request, server) => answerOrUpgrade(handler, request, new ServerConnection(server, request, closing))
      : (request, server) => handler(request, new ServerConnection(server, request, closing));
  }
  const sockets = new ClientSockets();
  const { sharing = "none" } = settings;
  if (sharing === "first") refuseTaken(settings);
  const server = Bun.serve<ClientEars>({
    hostname: settings.host,
    port: settings.port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: TRANSPORT_BYTES_MAX,
    development: false,
    // Said explicitly: without it Bun shares the port with another process in silence when `development` is off.
    reusePort: sharing !== "none",
    routes,
    websocket: sockets.handlers,
    // Nothing should get here: the dispatcher answers whatever is thrown.
    error: () =>
      Response.json(
        {
          error: {
            message: "Internal error.",
            type: "api_error",
            param: null,
            code: "internal_error",
            name: "InternalServerError",
          },
        },
        { status: 500 },
      ),
    fetch: (request, self) => dispatcher.handle(request, new ServerConnection(self, request, closing)),
  });
  const pendingCalls = (): number => server.pendingRequests + server.pendingWebSockets;
  const quietBefore = async (deadline: number): Promise<boolean> => {
    while (pendingCalls() > 0 && performance.now() < deadline) await Bun.sleep(DRAIN_POLL_MS);
    return pendingCalls() === 0;
  };
  return {
    url: `http://${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${server.port}`,
    port: server.port ?? settings.port,
    pendingCalls,
    async drain() {
      const finished = await quietBefore(performance.now() + settings.drainTimeoutMs);
      sockets.goAway();
      const hasStreams = closing.size > 0;
      for (const stop of [...closing]) stop();
      if (hasStreams || server.pendingWebSockets > 0) await quietBefore(performance.now() + GOODBYE_MS);
      await server.stop(true);
      return finished;
    },
  };
}
