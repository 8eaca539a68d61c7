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

/** By which command this process takes a run up behind whoever took it up before. */
const takingUpBehind = (run: string, before = "") => derivedId("resume", run, thisProcess, before)

/** Whether this process is the last that took it up. */
const isOurs = (run: string, { takenUpBy }: Past) => takenUpBy.at(-1) === takingUpBehind(run, takenUpBy.at(-2))

/** How a process has come to a run. */
export interface Got {
  /** Without a word of whoever had it before, who may have ended because of it. */
  readonly left: boolean
  /** Having begun it before. */
  readonly again: boolean
  /** Says that it is seen to: whoever has it next hears whether this process has ended in the midst of it. */
  readonly begin: Effect.Effect<void>
}

const interrupted = (error: string, fault?: string): Ended => ({
  output: "",
  failure: { code: "interrupted", error },
  concluded: false,
  ...(fault === undefined ? {} : { fault })
})

/**
 * Carries a run to its end, from wherever the log has it: asks the model, runs its tools, each step recorded before the
 * next, and at last commits. It is cancelled by its event; `stopped` settles when that has been recorded. Answers when
 * the workspace's stream has the run's end; what it ends with is in the log.
 */
export const carryOut = Effect.fnUntraced(function* (
  run: string,
  { left, again, begin }: Got,
  stopped: Deferred.Deferred<void>
) {
  /**
   * By which command it is taken up, once, however often that has to begin again because its store was away; `null`: it
   * is not, since no other process was at it behind this one, which has not ended in the midst of it.
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
    // its workspace was erased; nothing that was at work in it since may stay
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

    /** `isNew`: what it came to was not given up, so that it can be remembered where it is not yet. */
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
        // also when it was done before it heard of that
        failure: now.cancelled ? wasCancelled : failure,
        tree: tree ?? (yield* workspaces.save(repository, overlay)),
        remembered,
        time: now.recordedAt,
        turns: now.exchanges.length,
        ...usageOf(spent.map(({ usage }) => usage))
      }).pipe(Effect.catchTag("WorkspaceGone", () => new ConversationStopped({ reason: "superseded" })))
      if (failure === null) return
      // its code, and of the model's API what is all our own: the error itself may quote it
      const why = fault === undefined ? failure.code : `${failure.code}: ${fault}`
      yield* Effect.logWarning(`a chat failed (${why})`).pipe(Effect.annotateLogs({ workspace }))
    })

    /** What its model had come to before, if it had. */
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
      // a step that the one before had on its way when it ended is in the log by now, or never: its place is taken
      past = (yield* read) ?? past
      tree = past.trees.at(-1)?.tree ?? base?.tree
    }
    // not before: until it says so in the log, who had it before is the last that was at it
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
   * What fails on a repository that was erased is no fault: the next look at the log ends the run. The disk's faults in
   * the hands of a tool or a hook are the same as elsewhere.
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
