import type { ChatRequest } from "../contract/chat.ts";
import type { ErrorKind } from "../contract/errors.ts";

/** Where a call goes. A deployment of the catalogue is one. */
export interface Target {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly apiBase: string | null;
  readonly apiKey: string | null;
  readonly apiVersion: string | null;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData;
}

export interface UpstreamFailure {
  readonly status: number;
  readonly headers: Headers;
  /** At most the first kilobytes, as text; it may be anything. */
  readonly body: string;
}

/** What an upstream's failure means to our caller. */
export interface Classified {
  readonly kind: ErrorKind;
  readonly message: string;
}

/** Translation between our wire form, which is OpenAI's, and a provider's. Pure: no I/O. */
export interface ChatDialect {
  encode(request: ChatRequest, target: Target): UpstreamRequest;
  classify(failure: UpstreamFailure): Classified;
}
