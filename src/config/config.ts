import type { Deployment } from "../contract/deployment.ts";
import type { BudgetWindow } from "../contract/duration.ts";
import type { GuardrailDefinition } from "../contract/guardrails.ts";
import type { PassThrough } from "../contract/pass-through.ts";
import type { SellerRecord } from "../contract/purchases.ts";
import type { CacheConfig } from "./cache-config.ts";
import type { RouterConfig } from "./router-config.ts";

/** Everything that the file and the environment decide, checked and frozen. Times end in their unit. */
export interface Config {
  readonly server: ServerConfig;
  readonly keys: KeyConfig;
  readonly dataDir: string;
  /** Whether a call waits until its record is on the disk, or the record is forced there a moment later. */
  readonly journalSync: "interval" | "always";
  /** `null`: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  readonly databaseTimeoutMs: number;
  /** `null`: limits and cache live in the process. */
  readonly redisUrl: string | null;
  readonly admin: { readonly email: string; readonly password: string | null };
  readonly demo: boolean;
  readonly deployments: readonly Deployment[];
  /** `credential_list`: parameters that deployments take over by the name of the credential. */
  readonly credentials: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether models and credentials may also be kept in the database. */
  readonly storeModels: boolean;
  readonly groupAliases: Readonly<Record<string, GroupAlias>>;
  readonly router: RouterConfig;
  readonly guardrails: readonly GuardrailDefinition[];
  readonly limits: LimitsConfig;
  readonly answers: AnswerConfig;
  readonly cache: CacheConfig;
  readonly accounts: {
    /** Whether anybody may sign up; else only administrators bring people in. */
    readonly allowSignUp: boolean;
    /** Whether people have to show that mail reaches them before they can do anything. */
    readonly requireVerifiedEmail: boolean;
    /** What the organization of somebody who signs up begins with, in nano-USD. */
    readonly signUpCredit: bigint;
    /** From one network; 0 for no limit. */
    readonly signUpsPerHour: number;
    /** Whether the operator's keys and members of unknown user ids create users without sign-in. */
    readonly createUnknownUsers: boolean;
    /** How many organizations a person may own; 0 is no limit. */
    readonly organizationsPerUser: number;
  };
  /** `null`: there is no single sign-on. */
  readonly oidc: OidcConfig | null;
  /** `null`: no mail is sent; links are handed to whoever asks for them. */
  readonly mail: MailConfig | null;
  readonly billing: BillingConfig;
  readonly healthChecks: HealthCheckConfig;
  readonly usage: {
    /** For how many days calls stay in the log; null for ever. Sums and the ledger always stay. */
    readonly retentionDays: number | null;
  };
  readonly audit: {
    /** For how many days rows stay in the audit log; null for ever. */
    readonly retentionDays: number | null;
  };
  readonly payments: PaymentConfig;
  readonly files: FilesConfig;
  readonly training: TrainingConfig;
  /** Paths whose calls go on to another address. */
  readonly passThroughs: readonly PassThrough[];
  /** `environment_variables` of the file; a provider that looks for its usual variable asks here first. */
  readonly environment: Readonly<Record<string, string>>;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const METRICS_ACCESS = ["key", "loopback", "public"] as const;
export type MetricsAccess = (typeof METRICS_ACCESS)[number];

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Processes that share the port. */
  readonly workers: number;
  readonly corsOrigins: readonly string[];
  readonly requestBytesMax: number;
  readonly drainTimeoutMs: number;
  /** Where people reach this gateway, without a slash at the end. */
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  readonly metricsAccess: MetricsAccess;
  /** Addresses and ranges of proxies whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[];
  /** How long browsers that came by TLS keep to it; 0: they are not told. */
  readonly strictTransportSeconds: number;
  /** Addresses and ranges that may call; `null`: all. */
  readonly allowedIps: readonly string[] | null;
  /** From when on calls of models are turned away; 0 switches a bound off. */
  readonly overload: { readonly delayMsMax: number; readonly pendingMax: number };
  /** Limits on request bodies that one process receives at the same time; 0 is no limit. */
  readonly bodies: {
    readonly totalBytesMax: number;
    readonly callerBytesMax: number;
    readonly addressBytesMax: number;
    readonly timeoutMs: number;
  };
  /** Calls a minute that one session may make of the platform's API; 0 means any number. */
  readonly managementLimits: { readonly readsPerMinute: number; readonly writesPerMinute: number };
}

export interface KeyConfig {
  /** `null`: one is made at the first start. */
  readonly masterKey: string | null;
  /** Headers that may carry a key, in lower case, in the order in which they are looked at. */
  readonly headers: readonly string[];
  readonly hosted: boolean;
  readonly headerPrefix: string;
  /** The root secret that replicas share; `null`: one is made and kept in the data folder. */
  readonly secret: string | null;
}

/** Files that callers upload. */
export interface FilesConfig {
  readonly bytesMax: number;
  /** Storage of an organization without its own quota. */
  readonly quotaBytes: number;
  /** Nothing more is stored when the disk has less free space. */
  readonly keepFreeMb: number;
  /** The group that makes the vectors for searching them; `null`: the first embedding model there is. */
  readonly embeddingModel: string | null;
  /** `null`: they lie in the data folder. */
  readonly bucket: {
    readonly bucket: string;
    readonly endpoint: string | null;
    readonly region: string | null;
    readonly accessKeyId: string | null;
    readonly secretAccessKey: string | null;
    /** Before every name. */
    readonly prefix: string;
  } | null;
}

/** The server that takes our mail. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** `always`: from the first byte. `starttls`: or nothing is sent. `offered`: where the server has it. */
  readonly tls: "always" | "starttls" | "offered" | "never";
  readonly username: string | null;
  readonly password: string | null;
  /** An address, with a name before it or without. */
  readonly from: string;
}

/** An issuer of OpenID Connect whose people may sign in. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** How people call it. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Of e-mail addresses that may sign in; empty means any. */
  readonly allowedDomains: readonly string[];
  /** Whether somebody who has no account yet gets one. */
  readonly allowSignUp: boolean;
  /** The organization that new people join; `null`: they get one of their own. */
  readonly organizationId: string | null;
}

export interface RatesConfig {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly parallel: number | null;
}

/** Limits of the operator's; null means none. */
export interface LimitsConfig {
  /** Calls at one time, of everybody together. */
  readonly globalParallel: number | null;
  /** Calls at one time of each deployment that says nothing of its own. */
  readonly deploymentParallel: number | null;
  /** Of each end user that callers name. */
  readonly endUser: RatesConfig | null;
  /** What may be spent for each of them, in nano-USD, where one has no budget of its own. */
  readonly endUserBudget: { readonly budget: bigint; readonly budgetWindow: BudgetWindow } | null;
  /** Of groups, whoever calls them. */
  readonly groups: Readonly<Record<string, RatesConfig>> | null;
  /** Whether a call has to say whom it is made for. */
  readonly requireEndUser: boolean;
  /** How long a realtime session may last; null: as long as it likes. */
  readonly realtimeSessionMs: number | null;
}

export interface AnswerConfig {
  /** Check answers against the JSON schema that their request asked for. */
  readonly validateJsonSchema: boolean;
  /** Streams tell their usage whether the caller asked or not. */
  readonly alwaysIncludeUsage: boolean;
  /** The group for moderations that name no model; null: the first moderation model. */
  readonly moderationModel: string | null;
}

/** Small calls of deployments in the background. */
export interface HealthCheckConfig {
  /** `free`: only of those that cost nothing. `null`: none. */
  readonly scope: "all" | "free" | null;
  readonly intervalMs: number;
  readonly atOnce: number;
}

export interface BillingConfig {
  /** Put on top of the providers' prices. */
  readonly markupPercent: number;
  /** The longest response, in tokens, of a model whose limit is not known, or where credit is short. */
  readonly outputEstimateMax: number;
  /** What happens to calls of models without a known price. */
  readonly unpricedModels: UnpricedModels;
}

/** `refuse`: a key's call is rejected. `free`: it is not charged. */
export type UnpricedModels = "refuse" | "free";

export interface PaymentConfig {
  readonly provider: "stripe" | "test" | "none";
  readonly stripe: {
    readonly secretKey: string;
    /** At least one, none of them empty. */
    readonly webhookSecrets: readonly string[];
    /** `null`: Stripe's own. */
    readonly apiBase: string | null;
  } | null;
  /** Whether webhooks of ours may go to addresses that are not public. */
  readonly allowPrivateWebhooks: boolean;
  /** Who sells, as receipts and statements have it; null where nobody is named. */
  readonly seller: SellerRecord | null;
}

export interface TrainingConfig {
  /** Whether participants of organizations may be at addresses that are not public. */
  readonly allowPrivateParticipants: boolean;
  /** How many runs this process carries out at the same time; 0 leaves them to others. */
  readonly parallelRuns: number;
  /** Runs pause rather than leave less room than this on their disk. */
  readonly keepFreeMb: number;
}

export interface GroupAlias {
  readonly model: string;
  readonly hidden: boolean;
}
