import { computePart, type Part } from "./work.ts";

// One thread of an aggregation: computes the part that it is sent and answers with what came of it.
declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Part>) => {
  try {
    self.postMessage({ result: computePart(data) });
  } catch (thrown) {
    self.postMessage({ failure: thrown instanceof Error ? thrown.message : String(thrown) });
  }
};
