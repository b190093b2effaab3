import { GatewayError } from "../../../contract/errors.ts";
import type { Provider } from "../../../providers/dialect.ts";
import type { SocketRefused } from "../../../providers/upstream-socket.ts";

/** The runtime tells the status of such an answer and nothing else of it. */
export function refusalOf({ status, cause }: SocketRefused, provider: Provider): GatewayError {
  if (status < 400) return new GatewayError("upstream", `${provider.title} did not open a WebSocket.`, { cause });
  const { kind, message } = provider.classify({ status, headers: new Headers(), body: "" });
  return new GatewayError(kind, message, { cause: new Error(`upstream status ${status}`) });
}
