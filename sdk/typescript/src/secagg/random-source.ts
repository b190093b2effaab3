import { randomBytes } from "node:crypto";

/** Where secrets come from. Only the conformance model puts something else here, so that its bytes can be compared. */
export const randomSource: { bytes: (count: number) => Uint8Array } = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
};
