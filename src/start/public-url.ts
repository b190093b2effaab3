import type { Config } from "../config/config.ts";

/** Where people reach us, without a slash at the end. `port` is the one that is listened on, which `0` leaves to the system. */
export function publicUrlOf({ server }: Config, port: number | null): string {
  const { publicUrl, host } = server;
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port ?? server.port}`;
}
