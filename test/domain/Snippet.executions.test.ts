import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"
import { nothingMore } from "#test/snippetText.ts"
import { execution, review } from "./executions.ts"

const { RecordExecution, ReviewExecution, AddComment, DeleteComment } = SnippetCommand
const Event = SnippetEvent.cases

const snippet = "s1"
const subject = "snippet/s1"
const month = "2026-11"
const ofMonth = "snippet/s1/executions/2026-11"
const uploaded = Event.SnippetUploaded.make({
  snippet,
  home: "acme",
  generation: 0,
  sourceDigest: "digest",
  origin: "upload",
  author: "ada",
  language: "python",
  completeness: 0.5,
  succeeded: true,
  published: false,
  subject,
  text: {
    ...nothingMore,
    name: "csv_rows",
    path: "csv.py",
    source: "def csv_rows(): ...",
    entrypoint: "csv_rows",
    task: "a task"
  }
})
const tracked = Event.FunctionsTracked.make({
  snippet,
  home: "acme",
  subject,
  text: { agent: null, functions: [{ fingerprint: "fn_1", name: "csv_rows", signature: "def csv_rows()" }] }
})
const deleted = Event.SnippetDeleted.make({ snippet, subject, comments: [], executions: [], logs: [] })

const up: NewVote = { value: 1, count: 1, source: "ai", origin: null, home: "acme/w" }
const down: NewVote = { value: -1, count: 1, source: "ai", origin: null }
const observed = {
  telemetry: [],
  errors: [{ type: "FileNotFoundError", message: "no such file", functions: [] }]
}
const record = RecordExecution({ snippet, execution, month, vote: null, observed })
const recorded = Event.ExecutionRecorded.make({ ...execution, snippet, subject: ofMonth })
const votes = (vote: NewVote, voter: string | null, task: string | null) => {
  const { origin, ...facts } = vote
  return Event.VoteCast.make({
    snippet,
    ...facts,
    voter,
    request: null,
    subject,
    text: { task, reason: null, origin }
  })
}

describe("a run of a snippet", () => {
  it("is recorded, and its verdict is its user's vote for its task", () => {
    given(Snippet, [uploaded]).when(record).then(recorded)
    given(Snippet, [uploaded])
      .when(RecordExecution({ snippet, execution, month, vote: up, observed }))
      .then(recorded, votes(up, "ada", "read a CSV file"))
  })

  it("tells of its functions where their reputation is kept", () => {
    const seen = Event.FunctionsObserved.make({ snippet, succeeded: false, subject, text: observed })
    given(Snippet, [uploaded, tracked]).when(record).then(recorded, seen)
    const completed = { ...execution, state: "completed" as const }
    given(Snippet, [uploaded, tracked])
      .when(RecordExecution({ snippet, execution: completed, month, vote: down, observed }))
      .then(
        Event.ExecutionRecorded.make({ ...completed, snippet, subject: ofMonth }),
        Event.FunctionsObserved.make({ snippet, succeeded: true, subject, text: observed }),
        votes(down, "ada", "read a CSV file")
      )
  })

  it("can be reviewed; the review's vote is nobody's", () => {
    const facts = { snippet, execution: "e1", month, review, task: "a task" }
    const reviewed = Event.ExecutionReviewed.make({
      snippet,
      execution: "e1",
      verdict: "thumbs_down",
      subject: ofMonth,
      text: { review }
    })
    given(Snippet, [uploaded, recorded])
      .when(ReviewExecution({ ...facts, vote: null }))
      .then(reviewed)
    given(Snippet, [uploaded, recorded])
      .when(ReviewExecution({ ...facts, vote: down }))
      .then(reviewed, votes(down, null, "a task"))
    // as it was recorded before executions had subjects of their own
    const old = Event.ExecutionRecorded.make({ ...execution, snippet, subject })
    given(Snippet, [uploaded, old])
      .when(ReviewExecution({ ...facts, vote: null }))
      .then(Event.ExecutionReviewed.make({ ...reviewed, subject }))
  })

  it("goes with the snippet: each month's text by its subject", () => {
    const october = Event.ExecutionRecorded.make({
      ...execution,
      execution: "e0",
      snippet,
      subject: "snippet/s1/executions/2026-10"
    })
    const old = Event.ExecutionRecorded.make({ ...execution, snippet, subject })
    const gone = Event.SnippetDeleted.make({ snippet, subject, comments: [], executions: ["2026-10", month], logs: [] })
    given(Snippet, [uploaded, old, recorded, october, recorded])
      .when(SnippetCommand.DeleteSnippet({ snippet }))
      .then(gone)
    assert.deepStrictEqual(erasedBy(gone), [subject, "snippet/s1/executions/2026-10", ofMonth])
  })
})

const commented = Event.CommentAdded.make({
  snippet,
  comment: "c1",
  author: "ada",
  home: "o1",
  subject: "snippet/s1/comment/c1",
  text: { words: "Works for me.", agent: "helper" }
})
const comment = AddComment({
  snippet,
  comment: "c1",
  author: "ada",
  home: "o1",
  agent: "helper",
  words: "Works for me."
})

it("a comment is added", () => {
  given(Snippet, [uploaded]).when(comment).then(commented)
})

const commentSubject = `${subject}/comment/c1`
const removed = Event.CommentDeleted.make({ snippet, comment: "c1", subject: commentSubject })

it("a comment is deleted by its author, or by who owns the snippet", () => {
  given(Snippet, [uploaded, commented])
    .when(DeleteComment({ snippet, comment: "c1", by: "ada", owns: false }))
    .then(removed)
  given(Snippet, [uploaded, commented])
    .when(DeleteComment({ snippet, comment: "c1", by: "bob", owns: true }))
    .then(removed)
  given(Snippet, [uploaded, commented])
    .when(DeleteComment({ snippet, comment: "c1", by: "bob", owns: false }))
    .refuses("CommentNotYours")
  given(Snippet, [uploaded, commented, removed])
    .when(DeleteComment({ snippet, comment: "c1", by: "ada", owns: true }))
    .refuses("CommentNotFound")
})

it("the text of a comment goes with it, and that of the others with the snippet", () => {
  assert.deepStrictEqual(erasedBy(removed), [commentSubject])
  const second = Event.CommentAdded.make({ ...commented, comment: "c2", subject: `${subject}/comment/c2` })
  // as it was stored before comments had subjects of their own
  const old = Event.CommentAdded.make({ ...commented, comment: "c0", subject })
  const gone = Event.SnippetDeleted.make({ snippet, subject, comments: ["c2"], executions: [], logs: [] })
  given(Snippet, [uploaded, old, commented, second, removed]).when(SnippetCommand.DeleteSnippet({ snippet })).then(gone)
  assert.deepStrictEqual(erasedBy(gone), [subject, `${subject}/comment/c2`])
})

it("a snippet has a thousand comments at most", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => Event.CommentAdded.make({ ...commented, comment: `n${n}` }))
  given(Snippet, [uploaded, ...many])
    .when(comment)
    .refuses("CommentLimitReached")
  given(Snippet, [uploaded, ...many.slice(1)])
    .when(comment)
    .then(commented)
})

it("nothing is told of a snippet that is not there, or not any more", () => {
  for (const history of [[], [uploaded, deleted]]) {
    for (const command of [
      record,
      ReviewExecution({ snippet, execution: "e1", month, review, vote: null, task: null }),
      comment
    ]) {
      given(Snippet, history).when(command).refuses("SnippetNotFound")
    }
  }
})

describe("laws", () =>
  laws(Snippet, SnippetEvent, [
    record,
    RecordExecution({ snippet, execution, month, vote: up, observed }),
    ReviewExecution({ snippet, execution: "e1", month, review, vote: down, task: null }),
    comment,
    DeleteComment({ snippet, comment: "c1", by: "ada", owns: false })
  ]))
