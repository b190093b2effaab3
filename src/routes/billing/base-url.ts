import { requireOrigin } from "../../http/own-origin.ts";

/** Where the caller reaches this installation: as it is configured, else as the call itself came. */
export type BaseUrl = (request: Request) => string;

export const baseUrlOf =
  (publicUrl: string | null): BaseUrl =>
  (request) =>
    publicUrl ?? requireOrigin(request);
