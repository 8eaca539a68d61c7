import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { type ScopeRefusal, scopeOf } from "#domain/Scope.ts"
import { Caller, CallerScope, Scoping } from "#src/api/middleware.ts"
import { OwnWorkspace, WithoutWorkspace } from "#src/api/ownWorkspace.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import { headerText } from "./headerText.ts"

/** Existing clients send their own prefix; ours wins where both are given. */
const prefixes = ["x-cairn-", "x-raysurfer-"]

const longest = 1_000

export const problemOf = (refusal: ScopeRefusal): Problem => {
  switch (refusal._tag) {
    case "ForeignOrganization":
      return fieldProblem(
        "permission/not_org_member",
        "X-Cairn-Org-Id",
        "The organization header names another organization than the key's. Leave it out, or use a key of that organization."
      )
    case "TierRequired":
      return fieldProblem(
        "permission/tier_required",
        "X-Cairn-Workspace-Id",
        `Workspaces and the scopes company and client need the tier PRO or ENTERPRISE; yours is ${refusal.tier}. Leave the headers out, or ask the operator for another tier.`
      )
    case "WorkspaceRequired":
      return fieldProblem(
        "validation/workspace_required",
        "X-Cairn-Workspace-Id",
        "The scope client needs a workspace. Send the workspace header too, or leave the scope out."
      )
    case "UnknownSnipsDesired":
      return fieldProblem(
        "validation/invalid_field",
        "X-Cairn-Snips-Desired",
        "The scope of private snippets is neither company nor client. Send one of the two, or leave the header out."
      )
  }
}

const tooLong = (name: string) =>
  fieldProblem("validation/invalid_field", name, `The header is longer than ${longest} characters. Send a shorter one.`)

/** What the headers open, for the handlers: a body's own `workspace_id` is their business. */
export const layer = Layer.succeed(Scoping, ((httpEffect, { endpoint }) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const holder = yield* Caller
    const header = (name: string) => {
      const value = prefixes.map((prefix) => headers[prefix + name]).find((value) => value)
      return value === undefined ? undefined : headerText(value)
    }
    const given = {
      organization: header("org-id"),
      workspace: header("workspace-id"),
      snipsDesired: header("snips-desired"),
      publicSnips: header("public-snips"),
      agent: header("agent-id")
    }
    for (const [name, value] of Object.entries(given)) if ((value?.length ?? 0) > longest) return yield* tooLong(name)
    const opened = scopeOf(holder, given)
    const { annotations = Context.empty() } = endpoint as { readonly annotations?: Context.Context<never> }
    const ownWorkspace = Context.get(annotations, OwnWorkspace)
    if (ownWorkspace && Result.isFailure(opened) && opened.failure._tag === "WorkspaceRequired") {
      const scope = yield* Effect.fromResult(
        Result.mapError(scopeOf(holder, { ...given, snipsDesired: undefined }), problemOf)
      )
      return yield* httpEffect.pipe(
        Effect.provideService(CallerScope, scope),
        Effect.provideService(WithoutWorkspace, problemOf(opened.failure))
      )
    }
    const scope = yield* Effect.fromResult(Result.mapError(opened, problemOf))
    return yield* Effect.provideService(httpEffect, CallerScope, scope)
  })) as Scoping["Service"])
