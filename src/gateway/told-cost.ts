import { formatUsd } from "../contract/money.ts";
import { isRecord } from "../lib/json.ts";
import { type FrameSource, textOf } from "./stream-body.ts";

/** A plain answer with the cost, in nano-USD, in its usage; one without a usage or without a price stays as it is. */
export function withCost(body: string | null, cost: bigint | null): string | null {
  if (body === null || cost === null) return body;
  const answer: unknown = JSON.parse(body);
  if (!isRecord(answer) || !isRecord(answer.usage)) return body;
  return JSON.stringify({ ...answer, usage: { ...answer.usage, cost: Number(formatUsd(cost)) } });
}

/** The same in whole events of a stream. */
export function withCosts(frames: string, cost: bigint | null): string {
  if (cost === null || !frames.includes('"usage"')) return frames;
  return frames
    .split(BETWEEN)
    .map((frame) => (isChunk(frame) ? DATA + withCost(frame.slice(DATA.length), cost) : frame))
    .join(BETWEEN);
}

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
    private readonly meter: { readonly toldCost: bigint | null },
  ) {}

  async next(): Promise<string | null> {
    const frames = await this.source.next();
    return frames === null ? null : withCosts(textOf(frames), this.meter.toldCost);
  }

  get finished(): boolean {
    return this.source.finished;
  }

  close(): void {
    this.source.close();
  }
}
