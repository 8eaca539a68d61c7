import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import { type ChatFailure, WorkspaceEvent } from "#domain/Workspace/events.ts"
import { repositoryOf, workspaceSubject } from "#domain/Workspace/generations.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { EndChat, RestoreWorkspace, OpenWorkspace, ChangeFiles, TakePush, EraseWorkspace } = WorkspaceCommand
const { WorkspaceOpened, ChatCompleted, ChatFailed, WorkspaceRestored, FilesChanged, CommitsPushed, WorkspaceErased } =
  WorkspaceEvent.cases

const outcome = (commit: string, parent: string | null) => ({
  run: `run of ${commit}`,
  workspace: "w1",
  commit,
  parent,
  tree: `tree of ${commit}`,
  created: 1,
  modified: 2,
  deleted: 3,
  files: 4,
  turns: 5,
  inputTokens: 6,
  outputTokens: 7
})
const subject = workspaceSubject("w1", 0)
const opened = WorkspaceOpened.make({ workspace: "w1", generation: 0, subject, text: { org: "acme", user: "eve" } })
const completed = (commit: string, parent: string | null) =>
  ChatCompleted.make({ ...outcome(commit, parent), subject, text: { output: "done" } })
const failed = (commit: string, parent: string | null, code: ChatFailure) =>
  ChatFailed.make({ ...outcome(commit, parent), code, subject, text: { output: "done", error: "so" } })

const end = (commit: string, parent: string | null, code?: ChatFailure, generation = 0) =>
  EndChat({
    generation,
    org: "acme",
    user: "eve",
    outcome: outcome(commit, parent),
    output: "done",
    failure: code === undefined ? null : { code, error: "so" }
  })

describe("ending a chat", () => {
  it("opens the workspace with its first commit", () => {
    given(Workspace, []).when(end("c1", null)).then(opened, completed("c1", null))
    given(Workspace, [])
      .when(end("c1", null, "model"))
      .then(opened, failed("c1", null, "model"))
  })

  it("moves the head on from the commit before", () =>
    given(Workspace, [opened, completed("c1", null)])
      .when(end("c2", "c1"))
      .then(completed("c2", "c1")))

  it("moves it also when the run failed: what was written is kept", () => {
    for (const code of ["model", "max_turns", "interrupted", "revoked"] as const) {
      given(Workspace, [opened, completed("c1", null)])
        .when(end("c2", "c1", code))
        .then(failed("c2", "c1", code))
    }
    given(Workspace, [opened, failed("c1", null, "model")])
      .when(end("c2", "c1"))
      .then(completed("c2", "c1"))
  })

  it("is refused on any other head, and told the right one", () => {
    const history = [opened, completed("c1", null), failed("c2", "c1", "model")]
    for (const parent of [null, "c1", "c3"]) {
      const { head } = given(Workspace, history).when(end("c4", parent)).refuses("HeadMoved")
      assert.deepStrictEqual(head, { commit: "c2", tree: "tree of c2" })
    }
    assert.isNull(given(Workspace, []).when(end("c2", "c1")).refuses("HeadMoved").head)
  })
})

const restoration = (commit: string, parent: string, restored: string) => ({
  workspace: "w1",
  commit,
  parent,
  tree: `tree of ${restored}`,
  restored,
  files: 4
})
const restore = (commit: string, parent: string, restored: string, generation = 0) =>
  RestoreWorkspace({ generation, restoration: restoration(commit, parent, restored) })
const restored = (commit: string, parent: string, from: string) =>
  WorkspaceRestored.make(restoration(commit, parent, from))
const two = [opened, completed("c1", null), completed("c2", "c1")]

describe("restoring", () => {
  it("moves the head on to a commit with an earlier one's files", () => {
    given(Workspace, two)
      .when(restore("c3", "c2", "c1"))
      .then(restored("c3", "c2", "c1"))
    given(Workspace, [...two, restored("c3", "c2", "c1")])
      .when(restore("c4", "c3", "c2"))
      .then(restored("c4", "c3", "c2"))
    given(Workspace, [...two, restored("c3", "c2", "c1")])
      .when(end("c4", "c3"))
      .then(completed("c4", "c3"))
  })

  it("changes nothing when the head has these files already, on whatever parent", () => {
    for (const parent of ["c1", "c2"]) {
      given(Workspace, two)
        .when(restore("c3", parent, "c2"))
        .then()
      given(Workspace, [...two, restored("c3", "c2", "c1")])
        .when(restore("c4", parent, "c1"))
        .then()
    }
  })

  it("is refused on another head, where nothing was opened, and after an erasure", () => {
    const { head } = given(Workspace, two)
      .when(restore("c3", "c1", "c1"))
      .refuses("HeadMoved")
    assert.strictEqual(head?.commit, "c2")
    given(Workspace, [])
      .when(restore("c3", "c2", "c1"))
      .refuses("WorkspaceNotFound")
    given(Workspace, [...two, erased(2, 2)])
      .when(restore("c3", "c2", "c1"))
      .refuses("WorkspaceGone")
    given(Workspace, [...two, erased(2, 2)])
      .when(restore("c3", "c2", "c1", 1))
      .refuses("WorkspaceNotFound")
  })
})

const erased = (commits: number, chats: number, generation = 0, files = 4) =>
  WorkspaceErased.make({
    workspace: "w1",
    generation,
    subject: workspaceSubject("w1", generation),
    commits,
    chats,
    files
  })
const erase = (chatting = 0) => EraseWorkspace({ workspace: "w1", chatting })

describe("erasing", () => {
  it("says what was there, and erases the text of that generation", () => {
    given(Workspace, two).when(erase()).then(erased(2, 2))
    given(Workspace, [...two, restored("c3", "c2", "c1")])
      .when(erase())
      .then(erased(3, 2))
    assert.deepStrictEqual(erasedBy(erased(2, 2)), ["workspace/w1.0"])
    assert.deepStrictEqual(erasedBy(erased(2, 2, 5)), ["workspace/w1.5"])
    for (const event of two) assert.deepStrictEqual(erasedBy(event), [])
  })

  it("counts chats at work, and does not need the first of them to have ended", () => {
    given(Workspace, two).when(erase(3)).then(erased(2, 5))
    given(Workspace, [])
      .when(erase(1))
      .then(erased(0, 1, 0, 0))
  })

  it("is refused where nothing is, a second time too", () => {
    given(Workspace, []).when(erase()).refuses("WorkspaceNotFound")
    given(Workspace, [...two, erased(2, 2)])
      .when(erase())
      .refuses("WorkspaceNotFound")
  })

  it("lets no chat of before end, and a new one begin without a past", () => {
    const history = [...two, erased(2, 2)]
    for (const parent of ["c2", null]) given(Workspace, history).when(end("c3", parent)).refuses("WorkspaceGone")
    const subject = workspaceSubject("w1", 1)
    const reopened = [
      WorkspaceOpened.make({ workspace: "w1", generation: 1, subject, text: { org: "acme", user: "eve" } }),
      ChatCompleted.make({ ...outcome("c3", null), subject, text: { output: "done" } })
    ]
    given(Workspace, history)
      .when(end("c3", null, undefined, 1))
      .then(...reopened)
    given(Workspace, [...history, ...reopened])
      .when(erase())
      .then(erased(1, 1, 1))
  })
})

describe("Workspace", () => {
  it("has a repository of its own in each generation", () => {
    assert.strictEqual(repositoryOf("w1", 0), "w1")
    assert.strictEqual(repositoryOf("w1", 2), "w1-2")
  })

  it("keeps its text under a subject of its generation", () => {
    assert.strictEqual(workspaceSubject("w1", 0), "workspace/w1.0")
    assert.strictEqual(workspaceSubject("w1", 2), "workspace/w1.2")
  })

  laws(Workspace, WorkspaceEvent, [end("c1", null), end("c2", "c1", "max_turns"), restore("c3", "c2", "c1"), erase(1)])
})

const counts = { created: 2, modified: 1, deleted: 1 }
const change = (commit: string, parent: string, tree = `tree of ${commit}`) =>
  ({ workspace: "w1", commit, parent, tree, how: "put", ...counts }) as const
const push = (commit: string, parent: string, tree = `tree of ${commit}`) => ({
  workspace: "w1",
  commit,
  parent,
  tree,
  commits: 3,
  ...counts
})

describe.each([
  [
    "changing files",
    (commit: string, parent: string, generation = 0) => ChangeFiles({ generation, change: change(commit, parent) }),
    (commit: string, parent: string, files: number) => FilesChanged.make({ ...change(commit, parent), files })
  ],
  [
    "a push",
    (commit: string, parent: string, generation = 0) => TakePush({ generation, push: push(commit, parent) }),
    (commit: string, parent: string, files: number) => CommitsPushed.make({ ...push(commit, parent), files })
  ]
])("%s", (_, command, event) => {
  it("moves the head on, and the number of files with it", () => {
    const first = event("c3", "c2", 5)
    given(Workspace, two).when(command("c3", "c2")).then(first)
    given(Workspace, [...two, first])
      .when(command("c4", "c3"))
      .then(event("c4", "c3", 6))
    given(Workspace, [...two, first])
      .when(end("c4", "c3"))
      .then(completed("c4", "c3"))
  })

  it("is refused on another head, where nothing was opened, and after an erasure", () => {
    assert.strictEqual(given(Workspace, two).when(command("c3", "c1")).refuses("HeadMoved").head?.commit, "c2")
    given(Workspace, []).when(command("c3", "c2")).refuses("WorkspaceNotFound")
    given(Workspace, [...two, erased(2, 2)])
      .when(command("c3", "c2"))
      .refuses("WorkspaceGone")
    given(Workspace, [...two, erased(2, 2)])
      .when(command("c3", "c2", 1))
      .refuses("WorkspaceNotFound")
  })
})

it("a change that leaves the head's files, and a push of the head itself, are none; a push of other commits with its files is one", () => {
  given(Workspace, two)
    .when(ChangeFiles({ generation: 0, change: change("c3", "c2", "tree of c2") }))
    .then()
  given(Workspace, two)
    .when(TakePush({ generation: 0, push: push("c2", "c1") }))
    .then()
  const same = push("c3", "c2", "tree of c2")
  given(Workspace, two)
    .when(TakePush({ generation: 0, push: same }))
    .then(CommitsPushed.make({ ...same, files: 5 }))
})

describe("opening a workspace", () => {
  const opening = {
    ...change("c1", "", "empty"),
    parent: null,
    how: "opened",
    created: 0,
    modified: 0,
    deleted: 0
  } as const
  const command = (generation = 0) => OpenWorkspace({ generation, org: "acme", user: "eve", opening })
  it("makes it with an empty commit, once", () => {
    const [first] = [FilesChanged.make({ ...opening, files: 0 })]
    given(Workspace, []).when(command()).then(opened, first)
    given(Workspace, [opened, first]).when(command()).then()
    given(Workspace, two).when(command()).then()
    given(Workspace, two).when(command(1)).refuses("WorkspaceGone")
    given(Workspace, [opened, first]).when(end("c2", null)).refuses("HeadMoved")
  })
})
