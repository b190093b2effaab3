import { computePart, type Part } from "./job.ts";

// One thread of an aggregation: computes the part that it is sent and says when it is done.
declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Part>) => {
  computePart(data);
  self.postMessage("done");
};
