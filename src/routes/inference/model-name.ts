import { GatewayError } from "../../contract/errors.ts";

/** The model of a call: the path's, else the query's, else the body's. */
export function modelName(...places: (string | null | undefined)[]): string {
  const found = places.find((place) => typeof place === "string" && place !== "");
  if (typeof found === "string") return found;
  throw new GatewayError("validation", "The model is missing.", {
    faults: [{ loc: ["body", "model"], msg: "Field required", type: "missing" }],
  });
}
