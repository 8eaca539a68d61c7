import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import type { DomainEvent } from "#domain/events.ts"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import {
  ChatCompleted,
  ChatFailed,
  CommitsPushed,
  type FilesChange,
  FilesChanged,
  WorkspaceErased,
  WorkspaceOpened,
  WorkspaceRestored
} from "#domain/Workspace/events.ts"
import type { Actor, Recorded } from "#engine/Event.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { decode } from "#src/codec.ts"
import { encoder } from "#test/embeddings.ts"
import { stored } from "#test/laws.ts"
import { folded } from "./folded.ts"

/**
 * What can happen to one of two workspaces. A chat may end after an erasure, or be asked for by who has not seen it.
 */
const Step = Schema.Struct({
  workspace: Schema.Literals([1, 2]),
  does: Schema.Literals(["ask", "ask late", "end", "fail", "restore", "erase"])
})
type Step = typeof Step.Type

const workspaceOf = ({ workspace }: Step) => `w${workspace}`

/** The log of a history, as the deciders let it come about. */
const logOf = (steps: ReadonlyArray<Step>): ReadonlyArray<DomainEvent> => {
  const log: Array<DomainEvent> = []
  const states = new Map<string, typeof Workspace.initial>()
  const asked: Array<{ readonly run: string; readonly workspace: string; readonly generation: number }> = []
  const append = (workspace: string, command: WorkspaceCommand) => {
    const state = states.get(workspace) ?? Workspace.initial
    const decided = Workspace.decide(command, state)
    if (Result.isFailure(decided)) return
    log.push(...decided.success)
    states.set(workspace, decided.success.reduce(Workspace.evolve, state))
  }
  for (const [index, step] of steps.entries()) {
    const workspace = workspaceOf(step)
    const { generation: now, head } = states.get(workspace) ?? Workspace.initial
    const generation = step.does === "ask late" ? Math.max(0, now - 1) : now
    if (step.does === "ask" || step.does === "ask late") {
      const run = `run ${index}`
      const command = ChatCommand.RequestChat({
        memory: false,
        run,
        workspace,
        generation,
        homes: [],
        includePublic: false,
        key: "k",
        model: "m",
        maxTurns: 1,
        prompt: "p",
        org: "acme",
        user: "eve"
      })
      log.push(...Result.getOrThrow(Chat.decide(command, Chat.initial)))
      asked.push({ run, workspace, generation })
    } else if (step.does === "erase") {
      const ended = new Set(log.flatMap((event) => ("run" in event && "commit" in event ? [event.run] : [])))
      const waiting = asked.filter(
        (one) => one.workspace === workspace && one.generation === generation && !ended.has(one.run)
      )
      append(workspace, WorkspaceCommand.EraseWorkspace({ workspace, chatting: waiting.length }))
    } else if (step.does === "restore") {
      const restoration = { workspace, commit: `r${index}`, parent: head?.commit ?? null, tree: "t", restored: "c" }
      append(
        workspace,
        WorkspaceCommand.RestoreWorkspace({ generation, restoration: { ...restoration, files: index } })
      )
    } else {
      const chat = asked.find((one) => one.workspace === workspace)
      if (chat === undefined) continue
      asked.splice(asked.indexOf(chat), 1)
      const outcome = {
        run: chat.run,
        workspace,
        commit: `c${index}`,
        parent: head?.commit ?? null,
        tree: `t${index}`,
        created: 1,
        modified: 0,
        deleted: 0,
        files: index,
        turns: 1,
        inputTokens: 1,
        outputTokens: 1
      }
      const failure = step.does === "fail" ? ({ code: "model", error: "e" } as const) : null
      append(
        workspace,
        WorkspaceCommand.EndChat({
          generation: chat.generation,
          org: "acme",
          user: "eve",
          outcome,
          output: "o",
          failure
        })
      )
    }
  }
  return log
}

const erasedIn = (log: ReadonlyArray<DomainEvent>) =>
  new Set(log.flatMap((event) => (event._tag === "WorkspaceErased" ? [event.subject] : [])))

/** The log as it is delivered: text that was erased before an event came is refused, as the store does. */
const live = (log: ReadonlyArray<DomainEvent>): ReadonlyArray<Recorded<DomainEvent>> =>
  log.map((event, index) => {
    const gone = "subject" in event && erasedIn(log.slice(0, index)).has(event.subject)
    const { payload, ...rest } = stored(event, index)
    return decode({ ...rest, eventId: `event ${index}`, payload: gone ? null : payload })
  })

/** The same log read again later: all text that was ever erased is gone. */
const again = (log: ReadonlyArray<DomainEvent>): ReadonlyArray<Recorded<DomainEvent>> => {
  const gone = erasedIn(log)
  return log.map((event, index) => {
    const { payload, ...rest } = stored(event, index)
    return decode({
      ...rest,
      eventId: `event ${index}`,
      payload: "subject" in event && gone.has(event.subject) ? null : payload
    })
  })
}

const readModel = (events: ReadonlyArray<Recorded<DomainEvent>>) =>
  Object.fromEntries(
    Object.entries(Workspaces.tables).map(([name, table]) => {
      const rows = folded(table, events, { encoder })
      return [name, [...rows.values()].filter((row) => row !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1))]
    })
  )

const opened = WorkspaceOpened.make({
  workspace: "w1",
  generation: 0,
  subject: "workspace/w1.0",
  text: { org: "acme", user: "eve" }
})
const moved = { workspace: "w1", commit: "c", parent: null, tree: "t", files: 1 }
const nothing = { created: 0, modified: 0, deleted: 0 }
const change = (more: Partial<FilesChange>) => FilesChanged.make({ ...moved, ...nothing, how: "put", ...more })
const pushed = CommitsPushed.make({ ...moved, ...nothing, created: 1, commits: 1, bytes: 200 })
const restored = WorkspaceRestored.make({ ...moved, restored: "c" })
const bytesAfter = (...log: ReadonlyArray<DomainEvent>) =>
  readModel(live([opened, ...log]))["workspaces"]![0]!["repository_bytes"]

const outcome = { ...moved, ...nothing, run: "r", turns: 1, inputTokens: 1, outputTokens: 1, subject: opened.subject }
const completed = ChatCompleted.make({ ...outcome, text: { output: "o" } })
const failed = ChatFailed.make({ ...outcome, code: "model", text: { output: "o", error: "e" } })

const actor = (who: string): Actor => ({ key: `${who}'s key`, user: who, organization: "tenant" })
/** Who made the last commit, of a log that has who did what. */
const lastActorIn = (log: ReadonlyArray<readonly [Actor, DomainEvent]>) => {
  const events = live(log.map(([, event]) => event)).map((event, index) => ({ ...event, actor: log[index]![0] }))
  const [row] = readModel(events)["workspaces"]!
  return row && { key: row["actor_key"], user: row["actor_user"], organization: row["actor_organization"] }
}

const steps = Arbitrary.array(Arbitrary.schema(Step), { maxLength: 40 })

describe("the read model of workspaces", () => {
  it("counts the bytes that commits brought: none in deleting, in restoring, and in the empty commit of one that was opened", () => {
    const put = change({ created: 1, bytes: 30 })
    assert.strictEqual(bytesAfter(change({ how: "opened" })), 0)
    assert.strictEqual(bytesAfter(put, change({ how: "deleted", deleted: 1 }), restored, pushed), 230)
    // an event from before this was counted, also when later ones are
    assert.strictEqual(bytesAfter(put, change({ modified: 1 })), null)
    assert.strictEqual(bytesAfter(change({ created: 1 }), put), null)
    assert.strictEqual(bytesAfter(change({ how: "deleted", deleted: 1 }), put), 30)
  })

  it("says who made the last commit, whatever it came of, and of one that was opened anew nothing from before", () => {
    const begun = [
      [actor("olga"), opened],
      [actor("olga"), change({ how: "opened" })]
    ] as const
    assert.deepStrictEqual(lastActorIn(begun), actor("olga"))
    const put = change({ created: 1, bytes: 30 })
    const removed = change({ how: "deleted", deleted: 1 })
    for (const event of [put, removed, change({ how: "archive" }), restored, pushed, completed, failed])
      assert.deepStrictEqual(lastActorIn([...begun, [actor("ada"), event]]), actor("ada"), event._tag)
    // who operates the service has no key
    const operator = { key: null, user: null, organization: null }
    assert.deepStrictEqual(lastActorIn([...begun, [operator, restored]]), operator)
    const gone = { commits: 1, chats: 0, files: 0 }
    const erased = WorkspaceErased.make({ workspace: "w1", generation: 0, subject: opened.subject, ...gone })
    const past = [...begun, [actor("ada"), put], [actor("olga"), erased]] as const
    assert.isUndefined(lastActorIn(past))
    const afresh = { ...opened, generation: 1, subject: "workspace/w1.1" }
    const anew = [
      [actor("eve"), afresh],
      [actor("eve"), change({ how: "opened" })]
    ] as const
    assert.deepStrictEqual(lastActorIn([...past, ...anew]), actor("eve"))
  })

  it.prop(
    "is the same after an erasure and when it is built from what is left",
    [steps],
    ([given]) => {
      const log = logOf(given)
      assert.deepStrictEqual(readModel(again(log)), readModel(live(log)))
    },
    { arbitrary: { runs: 300 } }
  )

  it("has nothing of an erased workspace, and all of the others", () => {
    const history: ReadonlyArray<Step> = (["ask", "end", "ask", "end", "restore", "ask"] as const).flatMap((does) =>
      ([1, 2] as const).map((workspace) => ({ workspace, does }))
    )
    const before = readModel(live(logOf(history)))
    assert.deepStrictEqual([before["workspaces"]!.length, before["commits"]!.length, before["runs"]!.length], [2, 6, 2])
    const after = readModel(live(logOf([...history, { workspace: 1, does: "erase" }])))
    for (const [name, rows] of Object.entries(after)) {
      const others = before[name]!.filter((row) => row["workspace"] === "w2" || row.id === "w2")
      assert.deepStrictEqual(rows, others)
    }
    // what was asked for before ends no more; what is asked for now begins anew
    const reopened = readModel(
      live(
        logOf([
          ...[...history, { workspace: 1, does: "erase" } as const, { workspace: 1, does: "end" } as const],
          ...[{ workspace: 1, does: "ask" } as const, { workspace: 1, does: "end" } as const]
        ])
      )
    )
    const workspace = reopened["workspaces"]!.find(({ id }) => id === "w1")
    assert.deepInclude(workspace, { generation: 1, commits: 1 })
    assert.strictEqual(reopened["commits"]!.filter((row) => row["workspace"] === "w1").length, 1)
  })
})
