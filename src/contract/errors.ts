/** Every error that a caller can meet, in one table. `docs/errors.md` is checked against it. */
export interface ErrorSpec {
  /** HTTP status on the gateway's side. */
  readonly status: number;
  /** HTTP status under `/api`, where it differs. */
  readonly managementStatus?: number;
  /** HTTP status on the paths of Anthropic's interface, where it differs. */
  readonly anthropicStatus?: number;
  /** HTTP status on the paths of Google's interface, where it differs. */
  readonly googleStatus?: number;
  /** The contract's name of the error. */
  readonly name: string;
  /** `error.type` as OpenAI's clients know it. */
  readonly type: string;
  /** `error.code` as OpenAI's clients know it. */
  readonly code: string;
  /** `code` of the management error body: a closed list. */
  readonly management: ManagementCode;
  /** Whether the same call may succeed when it is sent again. */
  readonly retry: boolean;
  /** What it means and what to do; shown in the API description. */
  readonly meaning: string;
}

const MANAGEMENT_CODES = [
  "UNAUTHORIZED",
  "FORBIDDEN",
  "VALIDATION_ERROR",
  "NOT_FOUND",
  "QUOTA_EXCEEDED",
  "TEAM_BLOCKED",
  "SERVER_ERROR",
  "DB_TIMEOUT",
] as const;
export type ManagementCode = (typeof MANAGEMENT_CODES)[number];

export const ERRORS = {
  invalid_request: {
    status: 400,
    name: "BadRequestError",
    type: "invalid_request_error",
    code: "invalid_request",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The request cannot be carried out as it stands; the message names the field and the reason.",
  },
  malformed_body: {
    status: 400,
    name: "BadRequestError",
    type: "invalid_request_error",
    code: "malformed_body",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The body is not well-formed JSON in UTF-8, or is empty where one is needed.",
  },
  content_policy: {
    status: 400,
    name: "ContentPolicyViolationError",
    type: "invalid_request_error",
    code: "content_policy_violation",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The provider or a guardrail refused the content.",
  },
  context_window: {
    status: 400,
    name: "ContextWindowExceededError",
    type: "invalid_request_error",
    code: "context_length_exceeded",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The prompt is longer than the model's context; shorten it or name a model with a longer one.",
  },
  unsupported_params: {
    status: 400,
    name: "UnsupportedParamsError",
    type: "invalid_request_error",
    code: "unsupported_parameter",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The model does not know a parameter of the request; leave it out or set `drop_params`.",
  },
  price_unknown: {
    status: 400,
    name: "BadRequestError",
    type: "invalid_request_error",
    code: "price_unknown",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "Nobody has said what this model costs; the operator states its price, or that it is free.",
  },
  authentication: {
    status: 401,
    name: "AuthenticationError",
    type: "authentication_error",
    code: "invalid_api_key",
    management: "UNAUTHORIZED",
    retry: false,
    meaning: "No key or token was sent, or it is unknown, expired or revoked.",
  },
  permission: {
    status: 403,
    name: "PermissionDeniedError",
    type: "permission_error",
    code: "permission_denied",
    management: "FORBIDDEN",
    retry: false,
    meaning: "The caller is known but may not do this.",
  },
  team_blocked: {
    status: 403,
    name: "PermissionDeniedError",
    type: "permission_error",
    code: "team_blocked",
    management: "TEAM_BLOCKED",
    retry: false,
    meaning: "The key's team is blocked; buying credits or an administrator unblocks it.",
  },
  not_found: {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "not_found",
    management: "NOT_FOUND",
    retry: false,
    meaning: "There is no such path or record, or it belongs to somebody else.",
  },
  model_not_found: {
    status: 404,
    name: "NotFoundError",
    type: "invalid_request_error",
    code: "model_not_found",
    management: "NOT_FOUND",
    retry: false,
    meaning: "No model group of that name can be called with this key; `GET /v1/models` lists those that can.",
  },
  method_not_allowed: {
    status: 405,
    name: "MethodNotAllowedError",
    type: "invalid_request_error",
    code: "method_not_allowed",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The path exists, with another method; the `Allow` header lists those that it has.",
  },
  timeout: {
    status: 408,
    anthropicStatus: 504,
    googleStatus: 504,
    name: "Timeout",
    type: "timeout_error",
    code: "timeout",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The model did not respond within the time limit of the call, or the request body arrived too slowly.",
  },
  conflict: {
    status: 409,
    name: "ConflictError",
    type: "invalid_request_error",
    code: "conflict",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The record exists already, or is in a state that does not allow this.",
  },
  body_too_large: {
    status: 413,
    name: "RequestTooLargeError",
    type: "invalid_request_error",
    code: "request_too_large",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The body is larger than this operation takes; the message names the limit.",
  },
  storage_quota: {
    status: 413,
    name: "StorageQuotaExceededError",
    type: "invalid_request_error",
    code: "storage_quota_exceeded",
    management: "QUOTA_EXCEEDED",
    retry: false,
    meaning: "The organization's storage is full; delete files, threads, conversations or responses.",
  },
  unsupported_media_type: {
    status: 415,
    name: "UnsupportedMediaTypeError",
    type: "invalid_request_error",
    code: "unsupported_media_type",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "The `Content-Type` or `Content-Encoding` is not one that this operation reads.",
  },
  validation: {
    status: 422,
    managementStatus: 400,
    anthropicStatus: 400,
    googleStatus: 400,
    name: "UnprocessableEntityError",
    type: "invalid_request_error",
    code: "validation_error",
    management: "VALIDATION_ERROR",
    retry: false,
    meaning: "A path, query or body field is missing or has the wrong type; each fault is named.",
  },
  rate_limit: {
    status: 429,
    name: "RateLimitError",
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    management: "FORBIDDEN",
    retry: true,
    meaning: "Too many calls or tokens; `retry-after` says when to try again.",
  },
  insufficient_quota: {
    status: 429,
    managementStatus: 402,
    anthropicStatus: 402,
    name: "RateLimitError",
    type: "insufficient_quota",
    code: "insufficient_quota",
    management: "QUOTA_EXCEEDED",
    retry: false,
    meaning: "The organization's credit does not cover the call; buy credits.",
  },
  budget_exceeded: {
    status: 429,
    managementStatus: 402,
    anthropicStatus: 402,
    name: "RateLimitError",
    type: "budget_exceeded",
    code: "budget_exceeded",
    management: "QUOTA_EXCEEDED",
    retry: false,
    meaning:
      "A budget of the key, team, member, organization or of one of the call's tags is spent until its window ends.",
  },
  internal: {
    status: 500,
    name: "InternalServerError",
    type: "api_error",
    code: "internal_error",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "A fault on our side; `x-gw-call-id` finds it in the log.",
  },
  json_schema_validation: {
    status: 500,
    name: "JSONSchemaValidationError",
    type: "api_error",
    code: "json_schema_validation",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The model's answer does not fit the JSON schema that the request asked for.",
  },
  disk_full: {
    status: 507,
    name: "InsufficientStorageError",
    type: "api_error",
    code: "insufficient_storage",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The server's disk is almost full, so it stores nothing more; calls of models continue.",
  },
  loop_detected: {
    status: 508,
    name: "LoopDetectedError",
    type: "api_error",
    code: "loop_detected",
    management: "SERVER_ERROR",
    retry: false,
    meaning: "A deployment leads back to this gateway: the operator corrects its `api_base`.",
  },
  upstream: {
    status: 502,
    name: "BadGatewayError",
    type: "api_error",
    code: "upstream_error",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The provider failed or answered something that is not a valid answer.",
  },
  upstream_authentication: {
    status: 502,
    name: "BadGatewayError",
    type: "api_error",
    code: "upstream_authentication_failed",
    management: "SERVER_ERROR",
    retry: false,
    meaning: "The provider refused the key of the deployment, or it has none: the operator's, not the caller's.",
  },
  upstream_unavailable: {
    status: 503,
    anthropicStatus: 529,
    name: "ServiceUnavailableError",
    type: "api_error",
    code: "upstream_unavailable",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The provider is overloaded or down for the moment.",
  },
  connection: {
    status: 503,
    name: "APIConnectionError",
    type: "api_connection_error",
    code: "connection_error",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The provider cannot be reached.",
  },
  database: {
    status: 503,
    name: "APIConnectionError",
    type: "api_connection_error",
    code: "database_unavailable",
    management: "DB_TIMEOUT",
    retry: true,
    meaning: "The database does not answer; the service goes on by itself when it is back.",
  },
  interrupted: {
    status: 503,
    name: "ServiceUnavailableError",
    type: "api_error",
    code: "server_shutdown",
    management: "SERVER_ERROR",
    retry: true,
    meaning:
      "The server stopped in the middle of a stream, because its `drain_timeout` was over; send the request again.",
  },
  unavailable: {
    status: 503,
    name: "ServiceUnavailableError",
    type: "api_error",
    code: "service_unavailable",
    management: "SERVER_ERROR",
    retry: true,
    meaning: "The process is shutting down or overloaded, or receives too many request bodies; retry after a second.",
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorKind = keyof typeof ERRORS;

/** One fault of a validated input, as the contract's `HTTPValidationError` has it. */
export interface FieldFault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ErrorDetail {
  readonly cause?: unknown;
  readonly param?: string;
  readonly faults?: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** `error.details` of Anthropic's interface. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The one error that crosses folders. `message` is for the caller; `cause` reaches only the log. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly param: string | null;
  readonly faults: readonly FieldFault[];
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    detail: ErrorDetail = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.param = detail.param ?? null;
    this.faults = detail.faults ?? [];
    this.headers = detail.headers ?? {};
    this.details = detail.details;
  }
}
