import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { parseYaml } from "../lib/parse-yaml.ts";
import { DataDirLockedError, type DataLock, lockDataDir } from "../storage/data-lock.ts";
import { Coordinator, isAtEnd } from "../training/coordinator/coordinator.ts";
import { type Plan, PlanError, readPlan } from "../training/coordinator/plan.ts";
import { renderReport } from "../training/coordinator/report.ts";
import { rollBack } from "../training/coordinator/rollback.ts";
import { RunError } from "../training/coordinator/run-error.ts";
import { PLAN, type RoundRecord, RunFolder } from "../training/coordinator/run-folder.ts";
import { faultOfModel } from "../training/model-values.ts";
import type { RollbackFlags, TrainFlags } from "./program.ts";
import { StartError } from "./start-error.ts";

interface Streams {
  readonly print: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly isTerminal: boolean;
}

const BAR = 24;

/** `turnpike train run plan.yaml`: runs a training, or goes on with it; ends with 1 when it had to pause. */
export async function runTraining(file: string, flags: TrainFlags, streams: Streams): Promise<number> {
  const plan = loadPlan(file);
  requireTokens(file, plan);
  const path = folderOf(plan, flags.folder);
  const initial = plan.initial === null ? null : readInitial(file, plan, plan.initial);
  try {
    const lock = lockRun(path);
    try {
      return await carryOut(plan, new RunFolder(path), initial, flags, streams);
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof RunError) throw new StartError(`${file}: ${thrown.message}`, "USAGE_ERROR");
    if (!isOfDisk(thrown)) throw thrown;
    throw new StartError(`The run in ${path} cannot be kept: ${thrown.message}. The same command goes on from here.`);
  }
}

/** `turnpike train rollback plan.yaml --round 3`: the run continues from there, and the plan may have changed. */
export async function rollBackTraining(
  file: string,
  { folder, round, json }: RollbackFlags,
  print: (text: string) => void,
): Promise<number> {
  const plan = loadPlan(file);
  const path = folderOf(plan, folder);
  if (!existsSync(join(path, PLAN))) throw new StartError(`${file}: ${path} holds no run`, "USAGE_ERROR");
  const lock = lockRun(path);
  try {
    const last = rollBack(path, round);
    new RunFolder(path).writeFile(PLAN, JSON.stringify(plan));
    const model = last?.modelOut ?? null;
    if (json) print(JSON.stringify({ rounds: round, model }));
    else {
      print(`rounds   ${round} of ${plan.rounds}`);
      if (model !== null) print(`model    ${resolve(path, "models", model)}`);
    }
    return 0;
  } catch (thrown) {
    if (thrown instanceof RunError) throw new StartError(`${path}: ${thrown.message}`, "USAGE_ERROR");
    throw thrown;
  } finally {
    lock.release();
  }
}

const folderOf = ({ name }: Plan, named: string | undefined): string => resolve(named ?? `${folderName(name)}.run`);

/** Without it everybody would refuse the call, in every round. */
function requireTokens(file: string, { participants }: Plan): void {
  const missing = participants.filter(({ tokenEnv }) => tokenEnv !== null && !process.env[tokenEnv]);
  if (missing.length === 0) return;
  const words = missing.map(({ id, tokenEnv }) => `${tokenEnv}, which has the token of ${id}`).join("; ");
  throw new StartError(`${file}: a variable is not set: ${words}`, "USAGE_ERROR");
}

/** A plan may be somebody else's: its name is no path out of here. */
const folderName = (name: string): string => name.replace(/[/\\]+/g, "-").replace(/^\.+/, "");

/** The disk is full, or may not be written: nobody needs to know where in the program that was seen. */
const isOfDisk = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && "syscall" in thrown && "errno" in thrown;

/** Two that write into one folder would take each other's answers away. */
function lockRun(path: string): DataLock {
  try {
    return lockDataDir(path);
  } catch (thrown) {
    if (!(thrown instanceof DataDirLockedError)) throw thrown;
    const holder = thrown.holderPid === null ? "another process" : `another process (pid ${thrown.holderPid})`;
    throw new StartError(`The run in ${path} is being carried out by ${holder}; name another folder with --folder.`);
  }
}

async function carryOut(
  plan: Plan,
  folder: RunFolder,
  initial: Uint8Array | null,
  flags: TrainFlags,
  streams: Streams,
): Promise<number> {
  const tell = (record: RoundRecord) => streams.progress(progressLine(plan, record, streams.isTerminal));
  const coordinator = new Coordinator({ plan, folder, clock: systemClock, tokens: process.env, initial, tell });
  streams.progress(beginLine(plan, folder));
  const { rounds, paused } = await coordinator.run();
  const report = folder.writeFile("report.html", renderReport(plan, rounds, paused));
  const last = rounds.at(-1);
  const accuracy = last?.accuracy ?? null;
  if (flags.json) {
    streams.print(JSON.stringify({ rounds: rounds.length, accuracy, model: last?.modelOut ?? null, report, paused }));
  } else {
    if (streams.isTerminal) streams.progress("\n");
    if (last) streams.print(`model    ${resolve(folder.path, "models", last.modelOut)}`);
    streams.print(`report   ${report}`);
    if (last?.evaluationFailures) streams.print(`not evaluated by ${reasonsOf(last.evaluationFailures)}`);
    if (paused !== null) streams.print(`paused   ${paused}; the same command goes on from here`);
  }
  return paused === null ? 0 : 1;
}

/** What is wrong with it is said before the folder is the plan's. */
function readInitial(file: string, { shape, delegated }: Plan, path: string): Uint8Array {
  const refused = (why: string) => new StartError(`${file}: initial names ${resolve(path)}, and ${why}`, "USAGE_ERROR");
  if (!existsSync(path)) throw refused("there is no such file");
  const bytes = readFile(path);
  if (typeof bytes === "string") throw refused(`it cannot be read: ${bytes}`);
  const fault = shape === "info" || delegated ? null : faultOfModel(bytes, shape ?? null);
  if (fault !== null) throw refused(fault);
  return bytes;
}

/** Its bytes, or why there are none: it may be a folder, or somebody else's. */
function readFile(path: string): Uint8Array | string {
  try {
    return readFileSync(path);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function loadPlan(file: string): Plan {
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`, "USAGE_ERROR");
  try {
    return readPlan(parseYaml(readFileSync(file)));
  } catch (thrown) {
    if (thrown instanceof PlanError) throw new StartError(`${file}: ${thrown.faults.join("; ")}`, "USAGE_ERROR");
    throw new StartError(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`, "USAGE_ERROR");
  }
}

const reasonsOf = (failures: NonNullable<RoundRecord["evaluationFailures"]>): string =>
  failures.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ");

/** A round may take as long as its deadline, and says nothing until it is over. */
function beginLine(plan: Plan, folder: RunFolder): string {
  const { name, rounds, sample, participants, deadlineMs } = plan;
  const finished = folder.rounds();
  const done = finished.length;
  if (isAtEnd(plan, finished)) return `${name}: ${done} of ${rounds} rounds are done; it is at its end\n`;
  const where =
    done === 0 ? `${rounds} ${rounds === 1 ? "round" : "rounds"}` : `${done} of ${rounds} rounds are done; going on`;
  const who = `${sample} of ${participants.length} participants are asked, for ${deadlineMs / 1000} seconds at most`;
  return `${name}: ${where}; ${who}\n`;
}

function progressLine(
  plan: Plan,
  { round, accuracy, replies, dropped, warning, secure, evaluationFailures = [] }: RoundRecord,
  terminal: boolean,
): string {
  const filled = Math.round((round / plan.rounds) * BAR);
  const bar = `${"#".repeat(filled)}${"-".repeat(BAR - filled)}`;
  const score = accuracy === null ? "" : `  accuracy ${accuracy.toFixed(4)}`;
  const who =
    secure === undefined
      ? `  ${replies.length} of ${replies.length + dropped.length} answered`
      : `  secure sum of ${replies.length} of ${secure.asked}${dropped.map((one) => `, ${one.participant} dropped in ${one.phase}`).join("")}`;
  // A bar has one line; why it was stands below it at the end.
  const silent =
    evaluationFailures.length === 0
      ? ""
      : `  ${evaluationFailures.length} did not evaluate${terminal ? "" : ` (${reasonsOf(evaluationFailures)})`}`;
  const text = `[${bar}] round ${round} of ${plan.rounds}${score}${who}${silent}${warning === null ? "" : `  (${warning})`}`;
  return terminal ? `\r\u001b[2K${text}` : `${text}\n`;
}
