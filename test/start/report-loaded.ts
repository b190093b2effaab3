/** A process of its own for `start-loads.test.ts`: loads what `serve` loads before it answers, and prints what came of it. */
const traced: string[] = [];
const note = ([message]: readonly unknown[]): void => {
  if (Error.stackTraceLimit !== 0) traced.push(String(message));
};
globalThis.Error = new Proxy(Error, {
  construct(target, args, made) {
    note(args);
    return Reflect.construct(target, args, made);
  },
  apply(target, self, args) {
    note(args);
    return Reflect.apply(target, self, args);
  },
});

await import("../../src/start/program.ts");
await import("../../src/start/serve-command.ts");
await import("../../src/start/serve.ts");

const packages = new Set(
  Object.keys(require.cache).flatMap((path) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
process.stdout.write(JSON.stringify({ packages: [...packages], traced }));

export {};
