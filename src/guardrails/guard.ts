import type { GuardrailMode } from "../contract/guardrails.ts";
import type { Detector } from "./detector.ts";

/** One guardrail, ready to look. Either it finds by itself, or it asks a judge. */
export interface Guard {
  readonly name: string;
  readonly modes: readonly GuardrailMode[];
  readonly defaultOn: boolean;
  readonly action: "mask" | "block";
  readonly reversible: boolean;
  readonly detectors: readonly Detector[] | null;
  readonly judge: Judge | null;
}

/** Something that was found in one of several texts; without a place where it is the text as a whole. */
export interface Finding {
  readonly category: string;
  readonly index: number;
  readonly start: number | null;
  readonly end: number | null;
}

/** What a judge is told beside the texts. */
export interface JudgedCall {
  readonly callId: string;
  readonly model: string;
  readonly phase: "request" | "answer";
  /** `extra_body` that the request has for this guardrail. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** How long the caller still waits; null where it has not said. */
  readonly leftMs: number | null;
}

export interface Judge {
  /** On streams: so much text is collected before it is asked; null where it needs the whole. */
  readonly windowChars: number | null;
  /** Looks at the form of what a model says, as the caller gets it, and at nothing beside it, such as the arguments of tools. */
  readonly contentOnly?: boolean;
  /** Throws where it cannot say. */
  judge(texts: readonly string[], call: JudgedCall): Promise<readonly Finding[]> | readonly Finding[];
}

/** What judges need from outside this folder. */
export interface JudgeServices {
  readonly countTokens: (text: string) => Promise<number>;
  /** Asks a moderation model: for each text the categories that it was flagged for. `limitMs`: so long it is waited for. */
  readonly moderate: (
    model: string,
    texts: readonly string[],
    limitMs: number,
    signal: AbortSignal,
  ) => Promise<readonly (readonly string[])[]>;
  /** Sends a request to an address of the operator's. */
  readonly post: (
    request: WebhookRequest,
    signal: AbortSignal,
  ) => Promise<{ readonly status: number; readonly text: string }>;
  /** The default export of a module. */
  readonly load: (path: string) => Promise<unknown>;
  /** A judge that failed, for the log; whether the call goes on all the same. */
  readonly failed: (guardrail: string, error: unknown, goesOn: boolean) => void;
  readonly nowMs: () => number;
  readonly newId: () => string;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
