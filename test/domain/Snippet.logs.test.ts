import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { logsSubject, monthOfLogs } from "#domain/Printed.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"
import { nothingMore } from "#test/snippetText.ts"

const { UploadSnippet, DeleteSnippet } = SnippetCommand
const Event = SnippetEvent.cases

const snippet = "s1"
const subject = "snippet/s1"
const text = { ...nothingMore, name: "a", path: "a.py", source: "a = 1", entrypoint: "a", task: "a task" }
const facts = {
  snippet,
  home: "acme",
  generation: 0,
  sourceDigest: "digest",
  origin: "upload",
  author: "ada",
  language: "python",
  completeness: 0.5,
  succeeded: true
} as const
const upload = (logs: { readonly text: string; readonly month: string } | null) =>
  UploadSnippet({ ...facts, publish: false, text, vote: null, grading: null, logs })

const uploaded = Event.SnippetUploaded.make({ ...facts, published: false, subject, text })
const { path, task, dependencies, agent } = text
const added = Event.TaskAdded.make({
  snippet,
  author: "ada",
  succeeded: true,
  subject,
  text: { path, task, dependencies, logs: null, agent }
})
const printed = (month: string, logs: string) =>
  Event.LogsRecorded.make({ snippet, subject: `snippet/s1/logs/${month}`, text: { task, logs } })

describe("what an upload printed", () => {
  it("is an event of its own, of its month, with each upload that has some", () => {
    given(Snippet, [])
      .when(upload({ text: "ok", month: "2026-11" }))
      .then(uploaded, printed("2026-11", "ok"))
    given(Snippet, [uploaded])
      .when(upload({ text: "ok again", month: "2026-12" }))
      .then(added, printed("2026-12", "ok again"))
    given(Snippet, []).when(upload(null)).then(uploaded)
  })

  it("comes before the grading that reads it is asked for", () => {
    const command = UploadSnippet({ ...upload({ text: "ok", month: "2026-11" }), grading: { request: "r", count: 1 } })
    const due = Event.VoteRequested.make({ snippet, request: "r", count: 1 })
    given(Snippet, []).when(command).then(uploaded, printed("2026-11", "ok"), due)
  })

  it("goes with the snippet: each month's text by its subject", () => {
    const gone = Event.SnippetDeleted.make({
      snippet,
      subject,
      comments: [],
      executions: [],
      logs: ["2026-10", "2026-11"]
    })
    given(Snippet, [uploaded, printed("2026-11", "b"), printed("2026-10", "a"), printed("2026-11", "c")])
      .when(DeleteSnippet({ snippet }))
      .then(gone)
    assert.deepStrictEqual(erasedBy(gone), [subject, "snippet/s1/logs/2026-10", "snippet/s1/logs/2026-11"])
    // an older release recorded it with the upload
    const older = Event.SnippetUploaded.make({ ...uploaded, text: { ...text, logs: "ok" } })
    given(Snippet, [older])
      .when(DeleteSnippet({ snippet }))
      .then(Event.SnippetDeleted.make({ ...gone, logs: [] }))
  })

  it("has a subject that tells its month, and no other subject does", () => {
    assert.strictEqual(monthOfLogs(logsSubject(snippet, "2026-11")), "2026-11")
    for (const other of [subject, "snippet/s1/executions/2026-11", "snippet/s1/logs/soon", "upload/u1/logs"])
      assert.isUndefined(monthOfLogs(other), other)
  })

  laws(Snippet, SnippetEvent, [upload({ text: "ok", month: "2026-11" }), upload(null), DeleteSnippet({ snippet })])
})
