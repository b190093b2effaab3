import { formatUsd } from "../../contract/money.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import type { ResponseMetadata } from "../call/response-metadata.ts";
import { type FrameSource, textOf } from "./write-stream.ts";

/** A plain answer that tells no cost: what it was says nothing to whoever is given the answer again. */
export function withoutCost(body: string): string {
  if (!body.includes('"cost"')) return body;
  const answer = recordIn(body);
  if (!isRecord(answer?.usage) || !("cost" in answer.usage)) return body;
  const { cost: _, ...usage } = answer.usage;
  return JSON.stringify({ ...answer, usage });
}

/** The same of whole events of a stream. */
export const withoutCosts = (frames: string): string =>
  frames.includes('"cost"') ? eachUsage(frames, withoutCost) : frames;

/** A plain answer with the cost, in nano-USD, in its usage. Where the upstream did not count, it tells by what is charged. */
export function withCost(body: string | null, cost: bigint | null, { estimate }: Estimated): string | null {
  if (body === null || (cost === null && estimate === null)) return body;
  const answer: unknown = JSON.parse(body);
  if (!isRecord(answer) || (!isRecord(answer.usage) && estimate === null)) return body;
  const told = isRecord(answer.usage) ? answer.usage : {};
  const price = cost === null ? {} : { cost: Number(formatUsd(cost)) };
  return JSON.stringify({ ...answer, usage: { ...told, ...(estimate && tokens(estimate)), ...price } });
}

type Estimated = Pick<ResponseMetadata, "estimate">;

const tokens = ({ promptTokens, completionTokens }: NonNullable<ResponseMetadata["estimate"]>): object => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

/** A stream's last words are sent before anybody has counted them. */
const UNCOUNTED: Estimated = { estimate: null };

/** The same in whole events of a stream. */
export function withCosts(frames: string, cost: bigint | null): string {
  if (cost === null || !frames.includes('"usage"')) return frames;
  return eachUsage(frames, (chunk) => withCost(chunk, cost, UNCOUNTED) ?? chunk);
}

const eachUsage = (frames: string, change: (chunk: string) => string): string =>
  frames
    .split(BETWEEN)
    .map((frame) => (isChunk(frame) ? DATA + change(frame.slice(DATA.length)) : frame))
    .join(BETWEEN);

const DATA = "data: ";
const BETWEEN = "\n\n";
/** Events that tell a usage are written here, each on one line; whatever else passes is left alone. */
const isChunk = (frame: string): boolean =>
  frame.startsWith(`${DATA}{`) && frame.endsWith("}") && TELLS_USAGE.test(frame);
const TELLS_USAGE = /"usage"\s*:\s*\{/;

/** A stream whose usage tells the cost. Nobody else's frames pass here. */
export class CostFrames implements FrameSource {
  constructor(
    private readonly source: FrameSource,
    private readonly accounting: { readonly reportedCost: bigint | null },
  ) {}

  async next(): Promise<string | null> {
    const frames = await this.source.next();
    return frames === null ? null : withCosts(textOf(frames), this.accounting.reportedCost);
  }

  get finished(): boolean {
    return this.source.finished;
  }

  close(): void {
    this.source.close();
  }
}
