import { Effect } from "effect"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { SecretScan } from "#ports/SecretScan.ts"
import { WorkingFor } from "#ports/Workers.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { operator } from "#src/actor.ts"
import { reaction } from "#src/reaction.ts"
import { screenPublic } from "#src/snippets/screen.ts"

/** Most findings that are noted with a withdrawal. */
const noted = 20

/**
 * Looks through everything public once with each new version of the rules, and withdraws a snippet in which they find a
 * secret. Each version is a reaction of its own, with its own place in the log: it starts at the beginning and goes on
 * from where it was stopped. A snippet published meanwhile is looked through a second time, outside its request, so
 * that nothing slips between two versions.
 */
export const withdrawSnippets = (rules: string) =>
  reaction({
    name: `withdraw_snippets_${rules}`,
    on: ["SnippetUploaded", "SnippetPublished"],
    handle: ({ event, eventId, correlationId, tenant }) =>
      Effect.gen(function* () {
        if (event._tag === "SnippetUploaded" && !event.published) return
        const { snippet } = event
        yield* fresh(Snippets)
        const refusal = yield* Effect.flip(screenPublic(snippet)).pipe(Effect.orElseSucceed(() => undefined))
        if (refusal?._tag === "TooMuchWaits") return yield* refusal
        if (refusal?._tag === "Unscreened") {
          yield* Effect.logWarning(
            "a public snippet could not be looked through for secrets in time; it stays public"
          ).pipe(Effect.annotateLogs({ snippet, field: refusal.field }))
        }
        if (refusal?._tag !== "SecretsFound") return
        const found = refusal.found.slice(0, noted).map(({ field, line, kind }) => ({ field, line, kind }))
        const version = (yield* SecretScan).rules
        yield* dispatch(Snippet, {
          tenant,
          stream: `snippet-${snippet}`,
          command: SnippetCommand.WithdrawSnippet({ snippet, rules: version, found }),
          commandId: derivedId("withdraw_snippet", eventId, rules),
          correlationId,
          causationId: eventId,
          actor: operator
        }).pipe(Effect.catchTag("SnippetNotFound", () => Effect.void))
        yield* Effect.logWarning("a public snippet has something like a secret in it, and was taken back").pipe(
          Effect.annotateLogs({ snippet, tenant })
        )
      }).pipe(Effect.provideService(WorkingFor, tenant))
  })
