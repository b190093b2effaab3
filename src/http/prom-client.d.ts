/** The files of `prom-client` that are needed: as a whole it also loads Node's HTTP client, which takes 10 ms of a start. */
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
declare module "prom-client/lib/cluster.js" {
  export { AggregatorRegistry as default } from "prom-client";
}
