import { type SocketEars, sendableCode, sendableReason } from "../lib/web-socket.ts";

/** The caller's side of a WebSocket. */
export interface ClientSocket {
  /** False: it waits, and nothing more should be sent before `drained`. */
  send(text: string | Uint8Array): boolean;
  /** Nothing more is read until `resume`. */
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
}

/** Who has to do with a caller's WebSocket. */
export interface ClientEars extends SocketEars {
  opened(socket: ClientSocket): void;
  /** What waited has left. */
  drained(): void;
  /** The process ends: so does this. */
  goingAway(): void;
}

/** Sound is sent in pieces; OpenAI takes no longer ones either. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** More never waits, since whoever sends stops at the first byte that does: a frame that is larger than this is lost. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Who answers no ping for so long is gone. */
const SILENT_SECONDS = 120;

/** The server's WebSockets, which are all of the same kind: whoever took one over hears of it. */
export class ClientSockets {
  private readonly open = new Set<ClientEars>();

  readonly handlers: Bun.WebSocketHandler<ClientEars> = {
    maxPayloadLength: FRAME_BYTES_MAX,
    backpressureLimit: WAITING_BYTES_MAX,
    idleTimeout: SILENT_SECONDS,
    sendPings: true,
    perMessageDeflate: false,
    open: (socket) => {
      this.open.add(socket.data);
      socket.data.opened(new ServerSocket(socket));
    },
    message: (socket, data) => socket.data.message(data),
    drain: (socket) => socket.data.drained(),
    close: (socket, code, reason) => {
      this.open.delete(socket.data);
      socket.data.closed(code, reason);
    },
  };

  goAway(): void {
    for (const ears of this.open) ears.goingAway();
  }
}

class ServerSocket implements ClientSocket {
  constructor(private readonly socket: Bun.ServerWebSocket<ClientEars>) {}

  send(data: string | Uint8Array): boolean {
    return this.socket.send(data as string) > 0;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(code: number, reason: string): void {
    // What is not read would keep the answer to the close from being seen.
    this.socket.resume();
    this.socket.close(sendableCode(code), sendableReason(reason));
  }
}
