/**
 * The address of a module beside the one that asks, to be run as a thread. Its name ends in `worker`: an image
 * (`scripts/ensure-image.mjs`) has all of those as modules of their own, in the one folder that everything lies in there.
 */
export const threadFile = (asking: string, name: `${string}worker`): string =>
  new URL(`./${name}.${asking.endsWith(".ts") ? "ts" : "js"}`, asking).href;
