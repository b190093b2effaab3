import type { Config } from "../config/config.ts";

/** Where people reach us, without a slash at the end. */
export const configuredUrl = ({ server }: Config): string => server.publicUrl ?? `http://${server.host}:${server.port}`;
