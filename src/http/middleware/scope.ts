import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { type Holder, type ScopeRefusal, scopeOf } from "#domain/Scope.ts"
import { isSlug } from "#domain/Slug.ts"
import { tenantOf } from "#projections/Keys/organizations.ts"
import { Caller, CallerScope, Scoping } from "#src/api/middleware.ts"
import { OwnWorkspace, WithoutWorkspace } from "#src/api/ownWorkspace.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import { isPublicLibraryOpen } from "#src/snippets/publicLibrary.ts"
import { headerText } from "./headerText.ts"

/** Existing clients send their own prefix; ours wins where both are given. */
const prefixes = ["X-Cairn-", "X-Raysurfer-"]

const longest = 1_000

/** What the caller calls the parts of a request that open its scope, so that a problem can name them. */
export interface ScopeNames {
  readonly organization: string
  readonly workspace: string
  readonly snipsDesired: string
  /** The header that narrows the scope: the workspace's if it was sent, otherwise `snipsDesired`. */
  readonly narrowing: string
}

/** A refused scope as the caller is told it; `names` is what its parts are called where the caller wrote them. */
export const problemOf =
  (names: ScopeNames) =>
  (refusal: ScopeRefusal): Problem => {
    switch (refusal._tag) {
      case "ForeignOrganization":
        return fieldProblem(
          "permission/not_org_member",
          names.organization,
          `${names.organization} names another organization than the key's. Leave it out, or use a key of that organization.`
        )
      case "TierRequired":
        return fieldProblem(
          "permission/tier_required",
          names.narrowing,
          `${names.narrowing} needs the tier PRO or ENTERPRISE; yours is ${refusal.tier}. Leave it out, or ask the operator for another tier.`
        )
      case "WorkspaceRequired":
        return fieldProblem(
          "validation/workspace_required",
          names.workspace,
          `The scope client needs a workspace. Send ${names.workspace} too, or leave ${names.snipsDesired} out.`
        )
      case "UnknownSnipsDesired":
        return fieldProblem(
          "validation/invalid_field",
          names.snipsDesired,
          `${names.snipsDesired} is neither company nor client. Send one of the two, or leave it out.`
        )
    }
  }

const tooLong = (name: string) =>
  fieldProblem("validation/invalid_field", name, `The header is longer than ${longest} characters. Send a shorter one.`)

/** The organization that a caller names: its own by its slug, too. Whose any other slug is does not matter. */
const organizationIn = Effect.fnUntraced(function* ({ organization }: Holder, given: string | undefined) {
  const name = given?.toLowerCase()
  if (organization === null || name === undefined || name === organization || !isSlug(name)) return given
  const own = yield* Effect.orDie(tenantOf(organization))
  return own?.slug === name ? organization : given
})

/** Gives handlers the scope that the headers open. A body's own `workspace_id` is the handler's business. */
const scoping = (sql: SqlClient.SqlClient) =>
  ((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const holder = yield* Caller
      // a header that was not sent is named with the prefix that the caller uses
      const used = prefixes.find((prefix) => Object.keys(headers).some((name) => name.startsWith(prefix.toLowerCase())))
      const sent = (name: string) => prefixes.map((prefix) => prefix + name).find((one) => headers[one.toLowerCase()])
      const nameOf = (name: string) => sent(name) ?? `${used ?? prefixes[0]}${name}`
      const header = (name: string) => {
        const value = headers[nameOf(name).toLowerCase()]
        return value ? headerText(value) : undefined
      }
      const names = {
        organization: nameOf("Org-Id"),
        workspace: nameOf("Workspace-Id"),
        snipsDesired: nameOf("Snips-Desired"),
        narrowing: sent("Workspace-Id") ?? nameOf("Snips-Desired")
      }
      const given = {
        organization: yield* Effect.provideService(organizationIn(holder, header("Org-Id")), SqlClient.SqlClient, sql),
        workspace: header("Workspace-Id"),
        snipsDesired: header("Snips-Desired"),
        publicSnips: (yield* isPublicLibraryOpen) ? header("Public-Snips") : undefined,
        agent: header("Agent-Id")
      }
      const long = ["Org-Id", "Workspace-Id", "Snips-Desired", "Public-Snips", "Agent-Id"].find(
        (name) => (header(name)?.length ?? 0) > longest
      )
      if (long !== undefined) return yield* tooLong(nameOf(long))
      const opened = scopeOf(holder, given)
      const { annotations = Context.empty() } = endpoint as { readonly annotations?: Context.Context<never> }
      const ownWorkspace = Context.get(annotations, OwnWorkspace)
      if (ownWorkspace && Result.isFailure(opened) && opened.failure._tag === "WorkspaceRequired") {
        const scope = yield* Effect.fromResult(
          Result.mapError(scopeOf(holder, { ...given, snipsDesired: undefined }), problemOf(names))
        )
        return yield* httpEffect.pipe(
          Effect.provideService(CallerScope, scope),
          Effect.provideService(WithoutWorkspace, problemOf(names)(opened.failure))
        )
      }
      const scope = yield* Effect.fromResult(Result.mapError(opened, problemOf(names)))
      return yield* Effect.provideService(httpEffect, CallerScope, scope)
    })) as Scoping["Service"]

export const layer = Layer.effect(Scoping, Effect.map(SqlClient.SqlClient, scoping))
