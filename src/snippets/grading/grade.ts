import { Cause, Clock, Data, Effect, Layer, PubSub, Schedule, Semaphore } from "effect"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { whileMine } from "#engine/ports/Claims.ts"
import { Projector } from "#engine/project.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { type DueGrading, dueGradings, Gradings } from "#projections/Gradings.ts"
import { operator } from "#src/actor.ts"
import { newBoundary, storable } from "#src/snippets/untrusted.ts"
import { type BundlesAtHand, evidenceOf, makeBundles } from "./evidence.ts"
import { type GradeForm, questionOf } from "./question.ts"

/** Questions to the model at once. */
const atOnce = 4
/** Gradings that are taken up at once: while one waits for its next attempt, others are asked. */
const takenAtOnce = 64
/** Attempts at a verdict, the first one included. */
const attempts = 5
/** Milliseconds; a grading that was requested longer ago gets no verdict. */
const longestWait = 7 * 24 * 3_600_000
/** Characters. */
const longestReason = 1_000

const backOff = Schedule.exponential("2 seconds", 3).pipe(Schedule.jittered)
const laterOn = Schedule.spaced("1 second")

/** What gradings share. */
interface Desk {
  readonly places: Semaphore.Semaphore
  readonly bundles: BundlesAtHand
}

export const makeDesk: Effect.Effect<Desk> = Effect.map(Semaphore.make(atOnce), (places) => ({
  places,
  bundles: makeBundles()
}))

/** How often a grading may break off (the store is away, or a defect) before it gets no verdict. */
const mostBreaks = 10
const longestPause = Schedule.spaced("1 minute")

/** The grading broke off, with neither a verdict nor the model's failure. */
class BrokeOff extends Data.TaggedError("BrokeOff")<{ readonly name: string }> {}

/** Takes up again a grading that broke off, so that its verdict needs no restart. */
const persistently = <A, E, R>(effect: Effect.Effect<A, E, R>, { request, snippet }: DueGrading) =>
  effect.pipe(
    Effect.catchDefect((defect) =>
      Effect.fail(new BrokeOff({ name: defect instanceof Error ? defect.name : typeof defect }))
    ),
    Effect.tapError((error) =>
      error instanceof BrokeOff
        ? Effect.logError(`a grading broke off (${error.name}) and is taken up again`).pipe(
            Effect.annotateLogs({ request, snippet })
          )
        : Effect.void
    ),
    Effect.retry({
      while: (error) => error instanceof BrokeOff,
      schedule: Schedule.min([backOff, longestPause]),
      times: mostBreaks - 1
    })
  )

const textOf = (reason: string) => storable(reason, longestReason)

/** One attempt: looks at what is there now, and asks the model for its verdict. `undefined`: the snippet is gone. */
const attempt = ({ request, snippet, count }: DueGrading, { places, bundles }: Desk) =>
  Effect.gen(function* () {
    const evidence = yield* evidenceOf(request, snippet, bundles).pipe(Effect.retry(laterOn))
    if (evidence === undefined) return undefined
    const model = yield* LanguageModel
    const answer = yield* model.ask(questionOf(evidence, newBoundary()))
    // valid by the form's schema
    const { verdict, reason } = answer as GradeForm
    const value = verdict === "thumbs_up" ? 1 : -1
    const { task } = evidence
    return SnippetCommand.Grade({ snippet, request, value, count, task, reason: textOf(reason) })
  }).pipe(
    // around all of it, so that the texts of only a few gradings are in memory at once
    places.withPermits(1),
    Effect.tapError((error) =>
      Effect.logWarning(
        `a grading got no verdict: ${error._tag === "ModelFailed" ? error.fault : "the log can't be read"}`
      ).pipe(Effect.annotateLogs({ request, snippet }))
    )
  )

const ending = Effect.fnUntraced(function* (due: DueGrading, desk: Desk) {
  const { request, snippet, requested_at } = due
  const waited = (yield* Clock.currentTimeMillis) - requested_at.getTime()
  if (waited > longestWait) return SnippetCommand.CancelGrading({ snippet, request, cause: "expired" })
  return yield* attempt(due, desk).pipe(
    Effect.retry({ schedule: backOff, times: attempts - 1 }),
    Effect.catchTag("ModelFailed", ({ message, fault }) =>
      Effect.as(
        Effect.logWarning(`a grading failed: ${fault}`).pipe(Effect.annotateLogs({ request, snippet })),
        SnippetCommand.FailGrading({ snippet, request, error: textOf(message) })
      )
    )
  )
})

/** Carries a grading to its end: a verdict, a failure, or that it is no longer due. */
export const grade = Effect.fnUntraced(function* (due: DueGrading, desk: Desk) {
  const { request, snippet, tenant } = due
  const command = yield* persistently(ending(due, desk), due).pipe(
    Effect.catchTag("BrokeOff", () => {
      const error = "The grading broke off again and again; the service's log says why."
      return Effect.as(
        Effect.logWarning("a grading failed: it broke off again and again").pipe(
          Effect.annotateLogs({ request, snippet })
        ),
        SnippetCommand.FailGrading({ snippet, request, error })
      )
    })
  )
  if (command === undefined) return
  const recording = dispatch(Snippet, {
    tenant,
    stream: `snippet-${snippet}`,
    command,
    commandId: derivedId("grade", request, snippet),
    correlationId: request,
    actor: operator
  }).pipe(
    // there is a verdict: the model must not be asked again because the log is away
    Effect.retry({ while: ({ _tag }) => _tag === "Busy", schedule: laterOn }),
    Effect.catchTag(["SnippetNotFound", "SnippetGone"], () => Effect.void)
  )
  yield* persistently(recording, due)
})

/**
 * Gives the verdicts that are due, the oldest first. The read model says which are due, so nothing is lost when the
 * service stops. How a grading ends is decided once, however often it was asked for.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    if (!(yield* LanguageModel).canBeAsked) return
    const projector = yield* Projector
    const desk = yield* makeDesk
    /** Gradings that were taken up and are due as far as the read model knows; `true`: they have ended. */
    const taken = new Map<string, boolean>()
    const begin = Effect.sync(() => taken.clear())

    const take = Effect.fnUntraced(function* (due: DueGrading) {
      const { id, request, snippet } = due
      taken.set(id, false)
      yield* grade(due, desk).pipe(
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          const defect = Cause.squash(cause)
          const name = defect instanceof Error ? defect.name : typeof defect
          return Effect.logError("a grading broke off", name).pipe(Effect.annotateLogs({ request, snippet }))
        }),
        Effect.andThen(Effect.sync(() => taken.set(id, true))),
        Effect.forkScoped
      )
    })

    const look = Effect.gen(function* () {
      const rows = yield* dueGradings(takenAtOnce + taken.size)
      const due = new Set(rows.map(({ id }) => id))
      for (const [id, ended] of taken) if (ended && !due.has(id)) taken.delete(id)
      const atWork = [...taken.values()].filter((ended) => !ended).length
      yield* Effect.forEach(rows.filter(({ id }) => !taken.has(id)).slice(0, takenAtOnce - atWork), take)
    }).pipe(Effect.retry(laterOn))

    const work = Effect.gen(function* () {
      yield* begin
      const moves = yield* PubSub.subscribe(projector.moved)
      yield* Effect.retry(fresh(Gradings), laterOn)
      return yield* Effect.forever(Effect.andThen(look, PubSub.takeAll(moves)))
    })
    // when the claim is lost, gradings under way stop too: another process takes them up
    yield* Effect.forkScoped(whileMine("gradings", () => Effect.scoped(work)))
  })
)
