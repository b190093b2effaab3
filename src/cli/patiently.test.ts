import { expect, test } from "bun:test";
import { rejection } from "../../test/storage/rejection.ts";
import { CliError, EXIT } from "./cli-error.ts";
import { patiently } from "./patiently.ts";

test.each([
  [0, 121],
  [61, 1],
  [null, 1],
])("a server that never takes it and says %p seconds is asked %i times, not for ever", async (retrySeconds, times) => {
  let asked = 0;
  const refusal = new CliError(EXIT.quota, "FORBIDDEN", "Too fast.", { retrySeconds });
  const work = () => {
    asked++;
    return Promise.reject(refusal);
  };
  expect([await rejection(patiently(work)), asked]).toEqual([refusal, times]);
});
