import { Data, Schema } from "effect"

/** Every error answer of the service has this body. `detail` and `message` are the same text, for a person to read. */
export const ProblemBody = Schema.Struct({
  detail: Schema.String,
  message: Schema.String,
  /** `area/reason`, e.g. `validation/out_of_range`. */
  code: Schema.String,
  /** The same as `code`, for clients that look here. */
  error: Schema.String,
  /** The first field that is wrong, as a path like `file_written.path`; `null`: no field is wrong. */
  field: Schema.NullOr(Schema.String),
  errors: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })),
  request_id: Schema.String
})
export type ProblemBody = typeof ProblemBody.Type

export interface FieldError {
  readonly field: string
  readonly message: string
}

/** Why a request is not done: becomes the answer, with the status of its code. */
export class Problem extends Data.TaggedError("Problem")<{
  readonly code: Code
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
  /** Whole seconds, at least 1, after which it may work. */
  readonly retryAfter?: number
}> {}

/** Every code and its status: the one place that knows HTTP's numbers. */
export const statusOf = {
  "validation/invalid_json": 400,
  "validation/invalid_body": 400,
  "validation/invalid_field": 400,
  "validation/member_limit_reached": 400,
  "validation/comment_limit_reached": 400,
  "validation/secret_found": 400,
  "validation/malformed_request": 400,
  "validation/not_text": 400,
  "validation/not_screened": 400,
  "validation/workspace_required": 400,
  "validation/invalid_path": 400,
  "validation/invalid_archive": 400,
  "auth/missing_api_key": 401,
  "auth/invalid_api_key": 401,
  "permission/not_org_member": 403,
  "permission/enterprise_required": 403,
  "permission/admin_key_required": 403,
  "permission/only_owner_can_promote": 403,
  "permission/role_required": 403,
  "permission/read_only_key": 403,
  "permission/limited_key": 403,
  "permission/operator_required": 403,
  "permission/not_your_workspace": 403,
  "permission/tier_required": 403,
  "bound/reached": 403,
  "bound/model_not_allowed": 403,
  "permission/not_your_snippet": 403,
  "permission/not_your_comment": 403,
  "permission/read_only": 403,
  "permission/foreign_origin": 403,
  "permission/public_off": 403,
  "permission/not_this_machine": 403,
  "permission/invalid_code": 403,
  "permission/foreign_host": 421,
  "not_found/route": 404,
  "not_found/api_key": 404,
  "not_found/user": 404,
  "not_found/snippet": 404,
  "not_found/comment": 404,
  "not_found/function": 404,
  "not_found/execution": 404,
  "not_found/status": 404,
  "not_found/repo": 404,
  "not_found/workspace": 404,
  "not_found/run": 404,
  "not_found/turn": 404,
  "not_found/tree": 404,
  "not_found/commit": 404,
  "not_found/file": 404,
  "not_found/session": 404,
  "not_found/erasure": 404,
  "not_found/event": 404,
  "not_found/read_model": 404,
  "not_found/replay": 404,
  "not_found/as_of": 404,
  "method/not_allowed": 405,
  "header/not_acceptable": 406,
  "conflict/ambiguous_name": 409,
  "conflict/already_created": 409,
  "conflict/workspace_erased": 409,
  "conflict/workspace_full": 409,
  "conflict/path_taken": 409,
  "conflict/run_over": 409,
  "conflict/backup_running": 409,
  "conflict/replay_running": 409,
  "conflict/as_of_made": 409,
  "conflict/as_of_full": 409,
  "conflict/owner_stays": 409,
  "conflict/slug_taken": 409,
  "conflict/slug_differs": 409,
  "conflict/operator_stays": 409,
  "conflict/idempotency_key_reused": 409,
  "body/too_slow": 408,
  "precondition/failed": 412,
  "body/too_large": 413,
  "body/unsupported_type": 415,
  "rate_limit/exceeded": 429,
  "header/too_large": 431,
  "internal/error": 500,
  "unavailable/busy": 503,
  "unavailable/store": 503,
  "unavailable/search": 503,
  "unavailable/keys": 503,
  "unavailable/starting": 503,
  "unavailable/workspaces": 503,
  "unavailable/disk_full": 507
} as const
export type Code = keyof typeof statusOf

/**
 * The one error body of a problem. `error` repeats `code`, and `detail` the message, for clients that know these
 * names.
 */
export const bodyOf = ({ code, message, errors = [] }: Problem, requestId: string): ProblemBody => ({
  detail: message,
  message,
  code,
  error: code,
  field: errors[0]?.field ?? null,
  errors,
  request_id: requestId
})

/** A problem with one field of the request. */
export const fieldProblem = (code: Code, field: string, message: string): Problem =>
  new Problem({ code, message, errors: [{ field, message }] })
