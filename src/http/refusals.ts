import { Effect } from "effect"
import { type AccessRefusal, RoleRequired } from "#domain/access/permitted.ts"
import type { BoundRefusal } from "#domain/bounded.ts"
import type { ChatOver } from "#domain/Chat.ts"
import type { ExecutionNotFound } from "#domain/Execution.ts"
import type { OrganizationRefusal } from "#domain/Organization/commands.ts"
import type { SlugInUse } from "#domain/Slug.ts"
import type { CommentRefusal } from "#domain/Snippet/comments.ts"
import type { SnippetGone, SnippetNotFound } from "#domain/Snippet/decider.ts"
import type { WorkspaceGone, WorkspaceNotFound } from "#domain/Workspace/decider.ts"
import type { Stale, Unreadable } from "#engine/ask.ts"
import type { Busy } from "#engine/decide.ts"
import type { TooMuchWaits } from "#ports/JobFaults.ts"
import type { IndexUnavailable } from "#ports/SnippetIndex.ts"
import type { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { told } from "#src/usage/bounds.ts"

type Refusal =
  | OrganizationRefusal
  | SlugInUse
  | BoundRefusal
  | AccessRefusal
  | SnippetNotFound
  | SnippetGone
  | CommentRefusal
  | ExecutionNotFound
  | ChatOver
  | WorkspaceNotFound
  | WorkspaceGone
  | Busy
  | Stale
  | Unreadable
  | TooMuchWaits
  | WorkspacesUnavailable
  | IndexUnavailable

const wait = { retryAfter: 1 }

/** What a caller is told when a command is refused or can't be carried out: what is wrong, and how to mend it. */
export const problemOf = (refusal: Refusal): Problem => {
  switch (refusal._tag) {
    case "NotOrganizationMember":
      return new Problem({
        code: "permission/not_org_member",
        message:
          "This API key is not linked to an organization. Use a key that an organization's owner or admin created for you."
      })
    case "EnterpriseRequired":
      return new Problem({
        code: "permission/enterprise_required",
        message: `Managing keys needs an organization of the ENTERPRISE tier; yours is ${refusal.tier}. Ask the operator to change the tier.`
      })
    case "RoleRequired":
      return new Problem({
        code: "permission/role_required",
        message: `This needs a key with the role ${refusal.least}; this one's role is ${refusal.role}. Ask an admin or owner of your organization.`
      })
    case "ReadOnlyKey":
      return new Problem({
        code: "permission/read_only_key",
        message: "This key only reads. Use another key of yours to write."
      })
    case "LimitedKey":
      return new Problem({
        code: "permission/limited_key",
        message:
          "This key is limited to some workspaces or models, or to its own person's, and this concerns all of the organization. Use another key."
      })
    case "OperatorRequired":
      return new Problem({
        code: "permission/operator_required",
        message:
          "This has the data of every organization, so it needs an owner's key of the one that the service made for its operator at its first start. On the service's machine, its operator has `cairn backup`."
      })
    case "UnlistedOperation":
      return new Problem({
        code: "permission/role_required",
        message: "Nobody may do this: the service's table of permissions has no such operation. Tell its operator."
      })
    case "AdminKeyRequired":
      return new Problem({
        code: "permission/admin_key_required",
        message: `This needs a key with the role admin or owner; this one's role is ${refusal.role}. Ask an admin or owner of your organization.`
      })
    case "OnlyOwnerCanPromote":
      return fieldProblem(
        "permission/only_owner_can_promote",
        "role",
        `Only an owner's key may create keys with the role admin, or bound, revoke or erase who is above an admin; this one's role is ${refusal.role}. Leave role out for a member's key, or use an owner's key.`
      )
    case "MemberLimitReached":
      return fieldProblem(
        "validation/member_limit_reached",
        "email",
        `The organization has reached its limit of ${refusal.limit} members. Create the key for someone who is a member already, or ask the operator for a higher limit.`
      )
    case "OrganizationExists":
      return new Problem({ code: "conflict/already_created", message: "This organization is registered already." })
    case "MemberNotFound":
      return fieldProblem(
        "not_found/user",
        "id",
        "Your organization has no user with this id: they may be erased already. List the keys to see the users' ids."
      )
    case "OwnerStays":
      return fieldProblem(
        "conflict/owner_stays",
        "id",
        "The owner of an organization can't be erased or get another role: somebody has to answer for it."
      )
    case "OnlyOwnerErases":
      return problemOf(new RoleRequired({ role: refusal.role, least: "owner" }))
    case "OperatorStays":
      return new Problem({
        code: "conflict/operator_stays",
        message:
          "This is the organization of who operates the service, which the service made at its first start: it stays."
      })
    case "NotErased":
      return new Problem({
        code: "not_found/erasure",
        message: "No organization with this id was erased."
      })
    case "SlugInUse":
      return fieldProblem(
        "conflict/slug_taken",
        "slug",
        "Another organization of this service has this slug. Send another one."
      )
    case "KeyNotFound":
      return fieldProblem(
        "not_found/api_key",
        "key_id",
        "Your organization has no live key with this id: it may be revoked already. List the keys to see those that are live."
      )
    case "SnippetNotFound":
    case "SnippetGone":
      return new Problem({
        code: "not_found/snippet",
        message:
          "There is no such snippet in the scope of this request. Search for it, or check the workspace header and the id."
      })
    case "CommentNotFound":
      return fieldProblem(
        "not_found/comment",
        "id",
        "There is no comment with this id that you see: it may be deleted already. A search shows a snippet's comments with their ids."
      )
    case "CommentNotYours":
      return fieldProblem(
        "permission/not_your_comment",
        "id",
        "Only who wrote a comment may delete it, or who may delete the snippet it is on. Ask one of them."
      )
    case "CommentLimitReached":
      return fieldProblem(
        "validation/comment_limit_reached",
        "code_block_id",
        `The snippet has ${refusal.limit} comments, and can't have more. Delete some of them first.`
      )
    case "WorkspaceNotFound":
    case "WorkspaceGone":
      return fieldProblem(
        "not_found/workspace",
        "id",
        "You have no workspace with this id. GET /api/workspaces lists those that you have."
      )
    case "ChatOver":
      return fieldProblem(
        "conflict/run_over",
        "id",
        refusal.why === "ended"
          ? "The run has ended: there is nothing to cancel. What it wrote is in its workspace."
          : "The run was cancelled before. Its chat answers as soon as it has ended."
      )
    case "ExecutionNotFound":
      return fieldProblem(
        "not_found/execution",
        "execution_id",
        "No run of this request's scope has this id. Send the execution_id that /api/store/execution answered with, or check the workspace header."
      )
    case "BoundReached":
    case "StorageBoundReached":
      return new Problem({ code: "bound/reached", message: told(refusal) })
    case "TooManyTurns":
      return fieldProblem("bound/reached", "max_turns", told(refusal))
    case "ModelNotAllowed":
    case "CostUnknown":
      return fieldProblem("bound/model_not_allowed", "model", told(refusal))
    case "Busy":
      return new Problem({
        code: "unavailable/busy",
        message: "The service could not store this in time. Nothing is lost: send the same request again.",
        ...wait
      })
    case "TooMuchWaits":
      return new Problem({
        code: "unavailable/busy",
        message: "Too many of your requests wait for work that takes long. Send this one again when some are answered.",
        ...wait
      })
    case "WorkspacesUnavailable":
      return new Problem({
        code: "unavailable/workspaces",
        message:
          "The service can't use the disk of the workspaces at the moment. Nothing is lost, and a chat that has begun goes on by itself: send the same request again.",
        retryAfter: 2
      })
    case "IndexUnavailable":
      return new Problem({
        code: "unavailable/search",
        message: "The service can't search at the moment; all else goes on. Send the same request again.",
        retryAfter: 2
      })
    case "Stale":
    case "Unreadable":
      return new Problem({
        code: "unavailable/store",
        message: "The service can't read its store at the moment. Send the same request again.",
        ...wait
      })
  }
}

/** Turns what a handler can fail with into what its caller is told. */
export const orProblem = <A, R>(effect: Effect.Effect<A, Problem | Refusal, R>): Effect.Effect<A, Problem, R> =>
  Effect.mapError(effect, (error) => (error._tag === "Problem" ? error : problemOf(error)))
