/** What a fake upstream says, whatever its wire format. */
export interface Script {
  /** Looks at what the model would see and says what it answers. */
  reply(seen: Seen): Reply;
}
export interface Seen {
  readonly model: string;
  /** Plain text of the last user message. */
  readonly userText: string;
  readonly systemText: string;
  /** Names of the tools offered. */
  readonly tools: readonly string[];
  /** Texts of the tool results that came back, in order. */
  readonly toolResults: readonly string[];
  /** How many pictures the model was shown. */
  readonly images: number;
  readonly stream: boolean;
  /** The request's JSON body as the upstream got it. */
  readonly body: Readonly<Record<string, unknown>>;
}
export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly finish?: "stop" | "length" | "content_filter";
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
  /** Answer with this failure instead, in the provider's own error shape. */
  readonly failure?:
    | "bad_request"
    | "context_window"
    | "content_policy"
    | "auth"
    | "not_found"
    | "rate_limit"
    | "overloaded"
    | "server_error";
  /** Break the stream off after so many events. */
  readonly cutAfter?: number;
  /** An error event of the provider's own shape after so many events of a stream. */
  readonly errorAfter?: number;
}
