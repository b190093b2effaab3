// One participant of the digits example: `bun participant.ts '{"rows": [...], "test": [...], "attack": null}'`.

import { Participant } from "../../sdk/typescript/src/index.ts";
import { rowsOf } from "./data.ts";
import { Network } from "./network.ts";

const { name, rows, test, attack } = JSON.parse(process.argv[2] ?? "{}");
const participant = new Participant({ name, host: "127.0.0.1", port: 0, log: false, partial: true });
participant.registerDataset("train", rowsOf(rows));
participant.registerDataset("test", rowsOf(test));

participant.registerTrain((parameters, dataset, { config, round, runId }) => {
  const network = parameters === null ? Network.fresh(Number(config.seed ?? 0)) : Network.read(parameters);
  const before = [network.w1, network.b1, network.w2, network.b2].map((values) => values.slice());
  network.train(dataset, {
    rate: Number(config.lr ?? 0.1),
    epochs: Number(config.epochs ?? 1),
    seed: `${runId} ${round} ${name}`,
  });
  if (attack === "sign_flip") {
    [network.w1, network.b1, network.w2, network.b2].forEach((values, at) => {
      for (let i = 0; i < values.length; i++) {
        const old = before[at]?.[i] as number;
        values[i] = old - 4 * ((values[i] as number) - old);
      }
    });
  }
  return { parameters: network.write(), numExamples: dataset.labels.length };
});

participant.registerEvaluate((parameters, dataset) => ({
  accuracy: Network.read(parameters ?? new Uint8Array()).accuracy(dataset),
  numExamples: dataset.labels.length,
}));

await participant.run();
