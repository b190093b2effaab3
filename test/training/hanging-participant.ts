// A participant that begins to train, says so, and never ends: it is there to be killed.

import { Participant } from "../../sdk/typescript/src/index.ts";

const participant = new Participant({ name: "hanging", log: false, partial: true, host: "127.0.0.1", port: 0 });
participant.registerTrain(() => {
  process.stdout.write("begun\n");
  return new Promise<never>(() => undefined);
});
participant.registerDataset("default", []);
await participant.run();
