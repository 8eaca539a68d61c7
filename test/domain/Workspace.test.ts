import { assert, describe, it } from "@effect/vitest"
import { type ChatFailure, Workspace, WorkspaceCommand, WorkspaceEvent, workspaceSubject } from "#domain/Workspace.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { EndChat } = WorkspaceCommand
const { WorkspaceOpened, ChatCompleted, ChatFailed } = WorkspaceEvent.cases

const outcome = (commit: string, parent: string | null) => ({
  ...{ run: `run of ${commit}`, workspace: "w1", commit, parent, tree: `tree of ${commit}` },
  ...{ created: 1, modified: 2, deleted: 3, files: 4, turns: 5, inputTokens: 6, outputTokens: 7 }
})
const subject = workspaceSubject("w1", 0)
const opened = WorkspaceOpened.make({ workspace: "w1", generation: 0, subject, text: { org: "acme", user: "eve" } })
const completed = (commit: string, parent: string | null) =>
  ChatCompleted.make({ ...outcome(commit, parent), subject, text: { output: "done" } })
const failed = (commit: string, parent: string | null, code: ChatFailure) =>
  ChatFailed.make({ ...outcome(commit, parent), code, subject, text: { output: "done", error: "so" } })

const end = (commit: string, parent: string | null, code?: ChatFailure) =>
  EndChat({
    ...{ org: "acme", user: "eve", outcome: outcome(commit, parent), output: "done" },
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

describe("Workspace", () => {
  it("keeps its text under a subject of its generation", () => {
    assert.strictEqual(workspaceSubject("w1", 0), "workspace/w1.0")
    assert.strictEqual(workspaceSubject("w1", 2), "workspace/w1.2")
  })

  laws(Workspace, WorkspaceEvent, [end("c1", null), end("c2", "c1", "max_turns")])
})
