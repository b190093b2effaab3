import type { FirstStart } from "../accounts/first-start.ts";
import type { Passwords } from "../accounts/passwords.ts";
import type { BackgroundRunner } from "../assistants/background-desk.ts";
import type { RunExecutor } from "../assistants/run-desk.ts";
import type { BatchRunner } from "../batches/batch-desk.ts";
import type { Config } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import type { Indexer } from "../files/indexer.ts";
import type { RealtimeSessions } from "../gateway/interfaces/realtime/sessions.ts";
import type { Dispatcher } from "../http/dispatch.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { Logger } from "../lib/log.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ReloadReport } from "../routes/admin/reload-config.ts";
import type { Storage } from "../storage/open.ts";
import type { LedgerSide } from "./call-books.ts";
import type { AuditUpkeep } from "./compose-audit.ts";
import type { Billing } from "./compose-billing.ts";
import type { Books } from "./compose-books.ts";
import type { Training } from "./compose-training.ts";
import type { WorkerSide } from "./worker-side.ts";

/** What the world outside gives: a test hands in its own. */
export interface Runtime {
  readonly storage: Storage;
  /** The root secret and the master key, from the configuration or the data folder. */
  readonly secret: string;
  readonly masterKey: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly eventLoop: EventLoopProbe;
  /** Before the process is ready and once it drains, calls are 503. */
  readonly isClosed: () => boolean;
  readonly pendingCalls: () => number;
  /** Null or absent while nothing is listened on. */
  readonly listeningPort?: () => number | null;
  /** No other process uses the database: it is SQLite's, and this process holds the data folder. */
  readonly isAlone?: boolean;
  /** Where hashing them is to cost something else than it does in an installation. */
  readonly passwords?: Passwords;
  /** Where calls are admitted and written down, where it is not the installation's own. */
  readonly ledger?: LedgerSide;
  /** Where this process is one of several workers of a server. */
  readonly worker?: Pick<WorkerSide, "workerBus" | "limits" | "metrics" | "reading">;
  /** Reads the configuration again and applies it with `Service.apply`. */
  readonly reload: () => ReloadReport;
}

export interface Service {
  readonly billing: Billing;
  readonly routes: readonly Route[];
  readonly dispatcher: Dispatcher;
  /** Migrates and creates what the very first start creates; may be called again after a failure. */
  prepare(): Promise<FirstStart | null>;
  /** Writes what was only noted; called now and then, and before the end. Never throws. */
  flush(): Promise<void>;
  /** Admission, the journal and settlement; not before `start`. */
  readonly books: Books;
  /** Delivers what the outbox has; not before `start`. */
  readonly outbox: Outbox;
  /** Carries out runs of assistants; `tick` is called every second, `stop` before the books are closed. */
  readonly runs: RunExecutor;
  /** Carries out responses in the background; `tick` and `stop` as for runs. */
  readonly responses: BackgroundRunner;
  /** Reads files into vector stores; `tick` and `stop` as for runs. */
  readonly indexer: Indexer;
  /** Carries out batches; `tick` and `stop` as for runs. */
  readonly batches: BatchRunner;
  /** Realtime sessions that are open here; `stop` ends them. */
  readonly realtime: Pick<RealtimeSessions, "stop">;
  /** Carries out trainings; `tick` and `stop` as for runs. */
  readonly training: Pick<Training, "tick" | "stop">;
  /** Seals and verifies the audit log. */
  readonly audit: Pick<AuditUpkeep, "seal" | "reconcile">;
  /** Takes over what other processes have changed about stored models; called every few seconds. Never throws. */
  refresh(): Promise<void>;
  /** Takes over what other processes have spent at providers; called every few seconds. Never throws. */
  renewBudgets(): Promise<void>;
  /** Gives keys a new value whose time has come; called now and then. Never throws. */
  rotateKeys(): Promise<void>;
  /** Calls deployments that are due for a check; called every few seconds. Never throws. */
  check(): Promise<void>;
  /** What was found before this worker could be told. Never throws. */
  hearOfChecks(): Promise<void>;
  /** Takes out of the database and the cache what its time is over for; called now and then. Never throws. */
  tidy(): Promise<void>;
  /** Prices and limits of public models; nothing waits for them. */
  loadPrices(): Promise<void>;
  /** Lets go of what is connected beside the database. */
  close(): Promise<void>;
  /** What is to be said of models whose price is not known, as far as the lists are loaded. */
  unpricedModels(): readonly Fault[];
  /** What is stored and has no effect as things are. */
  storedModelProblems(): readonly Fault[];
  /** How many deployments can be called now, wherever they come from. */
  servedDeployments(): number;
  /** Takes over what a running process can take over from a new configuration. */
  apply(config: Config): void;
}
