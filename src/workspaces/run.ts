import { randomUUID } from "node:crypto"
import { Cause, type Deferred, Effect } from "effect"
import { ChatCommand, type ChatEvent } from "#domain/Chat.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { Recorded } from "#engine/Event.ts"
import { eachOfStream } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { accountIn } from "./account.ts"
import { endingId, endRun } from "./commit.ts"
import { untilEnded } from "./faults.ts"
import { ConversationStopped, resultOf, usageOf } from "./loop.ts"
import { type Past, pastOf, stepsOf } from "./past.ts"
import { permissionOf } from "./permitted.ts"
import { recordingOf } from "./recording.ts"
import { remembering } from "./remembering.ts"
import { awayIn, removeRepository, streamOf } from "./restore.ts"
import { Spoken } from "./spoken.ts"
import { underTrace } from "./trace.ts"
import { type Ended, endedWith, wasCancelled, work } from "./work.ts"

const thisProcess = randomUUID()

/** The id of the command by which this process takes a run up; `before`: the command that took it up last. */
const takingUpBehind = (run: string, before = "") => derivedId("resume", run, thisProcess, before)

/** Whether this process took the run up last. */
const isOurs = (run: string, { takenUpBy }: Past) => takenUpBy.at(-1) === takingUpBehind(run, takenUpBy.at(-2))

/** How a process has come to a run. */
export interface Got {
  /** The last process that was at it ended without handing it over, perhaps because of this run. */
  readonly left: boolean
  /** This process has begun it before. */
  readonly again: boolean
  /** Says that this process is at the run: the next one hears if this one has ended in the middle of it. */
  readonly begin: Effect.Effect<void>
}

const interrupted = (error: string, fault?: string): Ended => ({
  output: "",
  failure: { code: "interrupted", error },
  concluded: false,
  ...(fault === undefined ? {} : { fault })
})

/**
 * Carries a run to its end from wherever the log has it: asks the model, runs its tools, records each step before the
 * next, and commits at the end. `stopped` settles when the run's cancellation is recorded. Answers when the run's end,
 * with its result, is in the workspace's stream.
 */
export const carryOut = Effect.fnUntraced(function* (
  run: string,
  { left, again, begin }: Got,
  stopped: Deferred.Deferred<void>
) {
  /**
   * The command that takes the run up, chosen once, so that a retry gives the same one. `null`: none is needed, as no
   * other process has ended in the middle of the run.
   */
  let takingUp: string | null | undefined
  const store = yield* EventStore
  const workspaces = yield* WorkspaceStore
  const spoken = yield* Spoken

  const read = Effect.suspend(() => {
    const events: Array<Recorded<ChatEvent>> = []
    return Effect.map(
      eachOfStream(`chat-${run}`, -1, (event) => events.push(event as Recorded<ChatEvent>)),
      () => pastOf(events)
    )
  })

  /** `fault`: what the same step has failed with twice. */
  const goOn = Effect.fnUntraced(function* (from: Past, fault: string | undefined) {
    let past = from
    if (takingUp === undefined) {
      const before = past.takenUpBy.at(-1)
      const own = isOurs(run, past) || (again && before === undefined)
      const byOther = left && past.started !== undefined && !own
      takingUp = byOther ? takingUpBehind(run, before) : null
    }
    if ((yield* store.outcome(streamOf(past.requested.event.workspace), endingId(run))).length > 0) return
    const { requested } = past
    const { tenant, actor } = requested
    const { workspace, generation, maxTurns, text } = requested.event
    const repository = repositoryOf(workspace, generation)
    // the workspace was erased: nothing that a run has written into it since may stay
    if (text === null) return yield* removeRepository(workspace, generation)
    const recording = yield* recordingOf(run, requested)
    const { tell, inPlace, open } = recording
    const beforeTurn = yield* permissionOf(requested)

    let base = past.started?.base
    if (base === undefined) {
      const { head } = yield* inPlace
      const [event] = yield* tell(derivedId("start", run), ChatCommand.StartChat({ base: head }))
      if (event?.event._tag !== "ChatStarted") return
      base = event.event.base
    }
    let tree = past.trees.at(-1)?.tree ?? base?.tree

    /** `isNew`: the run was not given up, so the workspace's memory may still take it in. */
    const end = Effect.fnUntraced(function* (ended: Ended, isNew = true) {
      const over = (yield* read) ?? past
      const remembered =
        over.memory && isNew
          ? yield* remembering({ past: over, tree, base: base ?? null, ended }, recording, beforeTurn, stopped)
          : over.remembered
      const now = (yield* read) ?? over
      const overlay = yield* open(tree)
      const { failure, fault } = ended
      const spent = [...now.exchanges.map(({ turn }) => turn), ...now.compactions, ...(remembered ? [remembered] : [])]
      yield* endRun({
        run,
        tenant,
        actor,
        workspace,
        generation,
        ...text,
        base: base ?? null,
        output: ended.output,
        // a recorded cancellation counts, even if the run was done before it heard of it
        failure: now.cancelled ? wasCancelled : failure,
        tree: tree ?? (yield* workspaces.save(repository, overlay)),
        remembered,
        time: now.recordedAt,
        turns: now.exchanges.length,
        ...usageOf(spent.map(({ usage }) => usage))
      }).pipe(Effect.catchTag("WorkspaceGone", () => new ConversationStopped({ reason: "superseded" })))
      if (failure === null) return
      // only the code, and the fault in our own words: the error may quote the model's API
      const why = fault === undefined ? failure.code : `${failure.code}: ${fault}`
      yield* Effect.logWarning(`a chat failed (${why})`).pipe(Effect.annotateLogs({ workspace }))
    })

    /** The conversation's result, if the log has it already. */
    const result = resultOf(past.exchanges, maxTurns, past.compactions.at(-1))
    const concluded = result === undefined ? undefined : endedWith(result, maxTurns)

    if (past.cancelled) {
      return yield* end({ output: concluded?.output ?? "", failure: wasCancelled, concluded: false })
    }

    if (fault !== undefined) {
      const error = `The run failed twice at the same step (${fault}) and was given up. What it had written is saved.`
      return yield* end(concluded ?? interrupted(error, fault), false)
    }

    if (takingUp !== null) {
      const stuck = yield* tell(takingUp, ChatCommand.ResumeChat()).pipe(
        Effect.as(false),
        Effect.catchTag("ChatStuck", () => Effect.succeed(true))
      )
      if (stuck) {
        const error =
          "The run was interrupted three times at the same step and was given up. What it had written is saved."
        return yield* end(concluded ?? interrupted(error), false)
      }
      // the earlier process's last step is in the log by now or never will be: this event has taken its place
      past = (yield* read) ?? past
      tree = past.trees.at(-1)?.tree ?? base?.tree
    }
    // only now: until the log says that this process took the run up, the earlier one counts as the last at it
    yield* begin
    const account = past.memory ? yield* Effect.flatMap(open(base?.tree), accountIn) : ({ _tag: "None" } as const)
    const worked = yield* work(run, { past, base: base?.tree, tree, account }, recording, beforeTurn, stopped)
    tree = worked.tree
    yield* end(worked.ended)
  })

  const attempt = (fault: string | undefined) =>
    Effect.flatMap(read, (past) =>
      past === undefined ? Effect.void : underTrace(run, past.requested.request)(goOn(past, fault))
    )

  /**
   * A failure on an erased repository is no fault: the next look at the log ends the run. A fault of the disk fails as
   * itself, even if a tool or a hook has made it a defect.
   */
  const erasedMeanwhile = Effect.fnUntraced(function* <E>(cause: Cause.Cause<E>) {
    const past = yield* read
    const fault = awayIn(cause)
    if ((fault !== undefined || Cause.hasDies(cause)) && past?.requested.event.text === null) return false
    return yield* fault ?? Effect.failCause(cause)
  })

  yield* untilEnded(
    (fault) =>
      attempt(fault).pipe(
        Effect.as(true),
        Effect.catchTag("ConversationStopped", () => Effect.as(Effect.sleep("50 millis"), false)),
        Effect.catchCause(erasedMeanwhile)
      ),
    Effect.map(read, (past) => (past === undefined ? 0 : stepsOf(past)))
  ).pipe(Effect.ensuring(Effect.sync(() => spoken.silence(run))), Effect.annotateLogs({ run }))
})
