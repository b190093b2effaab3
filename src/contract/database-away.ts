import { GatewayError } from "./errors.ts";

/** Nobody's fault, and over when the database is back. */
export const isDatabaseAway = (thrown: unknown): thrown is GatewayError =>
  thrown instanceof GatewayError && thrown.kind === "database";
