import { GatewayError } from "../../contract/errors.ts";
import { PARTICIPANT_NAME } from "../../contract/training.ts";
import { isRecord } from "../../lib/json.ts";
import { type Plan, PlanError, readPlan } from "../coordinator/plan.ts";
import { knownFields } from "../coordinator/plan-fields.ts";
import type { PlanDocument } from "../records.ts";

/** As many as an organization can have. */
export const PARTICIPANTS_MAX = 200;
const PLAN_BYTES_MAX = 256 * 1024;
const ROUNDS_MAX = 10_000;
/** Further in, each level costs more to write and to show than the one before. */
const DEPTH_MAX = 32;
const DEADLINE_MAX_SECONDS = 86_400;
const RETRIES_MAX = 20;
/** What the coordinator takes for the address of a participant: the door that calls leave by knows the real one. */
const PLACE = "http://participants.invalid/";

/** Tells where a call goes that the coordinator makes: the participant's name and the path. */
export function readPlace(url: string): { readonly name: string; readonly path: string } {
  const [name = "", ...rest] = url.slice(PLACE.length).split("/");
  return { name, path: `/${rest.join("/")}` };
}

/**
 * The plan that the coordinator runs, made of the one that is stored; the same text every time, so that a run goes on. What would
 * be refused by now, and was not when it was sent, is read as it was then.
 */
export function hostedPlan(plan: PlanDocument, hasInitial: boolean): Plan {
  const { name, ...rest } = knownFields(plan);
  const stored = { ...rest, ...(typeof name === "string" ? { name } : {}), participants: plan.participants };
  return planOf(stored, hasInitial);
}

const planOf = (plan: PlanDocument, hasInitial: boolean): Plan =>
  readPlan({
    ...plan,
    participants: plan.participants.map((one) => ({ ...one, url: PLACE + one.id })),
    ...(hasInitial ? { initial: "initial" } : {}),
  });

/**
 * A plan as somebody has sent it, checked: every fault of it at once. What names a file or an address is refused, because here
 * it would be the server's.
 */
export function readSentPlan(sent: unknown, hasInitial: boolean): { readonly plan: PlanDocument; readonly read: Plan } {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) throw refused(["it is not a set of fields"]);
  const text = textOf(sent);
  if (Buffer.byteLength(text) > PLAN_BYTES_MAX) throw refused([`it is longer than ${PLAN_BYTES_MAX / 1024} KiB`]);
  if (isDeep(sent, DEPTH_MAX)) throw refused([`it is nested more than ${DEPTH_MAX} deep`]);
  // YAML has dates, sets and infinities: what is checked is what is stored.
  const fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const faults: string[] = [];
  if (fields.initial !== undefined && fields.initial !== null) {
    faults.push("initial names a file, which is not read here; send the model as initialModel");
  }
  const { initial: _, ...rest } = fields;
  const plan: PlanDocument = { ...rest, participants: readNames(fields.participants, faults) };
  let read: Plan | null = null;
  try {
    read = planOf(plan, hasInitial);
  } catch (thrown) {
    if (!(thrown instanceof PlanError)) throw thrown;
    faults.push(...thrown.faults);
  }
  faults.push(...limitFaults(plan));
  if (read === null || faults.length > 0) throw refused(faults);
  return { plan, read };
}

const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1)));

/** A text of YAML can hold itself. */
function textOf(sent: object): string {
  try {
    return JSON.stringify(sent);
  } catch {
    throw refused(["it stands in itself, or is nested too deeply"]);
  }
}

/** As it was sent: what is over a limit is told with all else that is wrong. */
function limitFaults(plan: PlanDocument): string[] {
  const { secure_aggregation: secure } = plan;
  const ofSecure = isRecord(secure) ? secure.deadline_seconds : undefined;
  return [
    { name: "rounds", value: plan.rounds, most: ROUNDS_MAX },
    { name: "deadline_seconds", value: plan.deadline_seconds, most: DEADLINE_MAX_SECONDS },
    { name: "secure_aggregation.deadline_seconds", value: ofSecure, most: DEADLINE_MAX_SECONDS },
    { name: "retries", value: plan.retries, most: RETRIES_MAX },
  ].flatMap(({ name, value, most }) =>
    typeof value === "number" && value > most ? [`${name} may be ${most} at most`] : [],
  );
}

function readNames(value: unknown, faults: string[]): PlanDocument["participants"] {
  if (!Array.isArray(value)) return [];
  if (value.length > PARTICIPANTS_MAX) faults.push(`participants may be ${PARTICIPANTS_MAX} at most`);
  return value.slice(0, PARTICIPANTS_MAX).flatMap((item: unknown, at) => {
    const fields = typeof item === "string" ? { id: item } : item;
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
      faults.push(`participants[${at}] is not the name of a participant`);
      return [];
    }
    const { id, max_examples, ...others } = fields as Readonly<Record<string, unknown>>;
    if (typeof id !== "string" || !new RegExp(PARTICIPANT_NAME).test(id)) {
      faults.push(`participants[${at}] is not the name of a participant`);
      return [];
    }
    if (Object.keys(others).length > 0) {
      faults.push(`participants[${at}].${Object.keys(others)[0]} is not taken here; ${id} has to be registered`);
    }
    return [
      { id, ...(max_examples === undefined || max_examples === null ? {} : { max_examples: max_examples as number }) },
    ];
  });
}

const refused = (faults: readonly string[]): GatewayError =>
  new GatewayError("invalid_request", `plan: ${faults.join("; ")}.`, { param: "plan" });
