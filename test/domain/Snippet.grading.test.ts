import { describe, it } from "@effect/vitest"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"
import { nothingMore } from "#test/snippetText.ts"

const { Grade, FailGrading, CancelGrading, UploadSnippet } = SnippetCommand
const Event = SnippetEvent.cases

const snippet = "s1"
const subject = "snippet/s1"
const text = {
  ...nothingMore,
  name: "slugify",
  path: "slug.py",
  source: "def slugify(): ...",
  entrypoint: "slugify",
  agent: "agent",
  task: "a slug"
}
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
const uploaded = Event.SnippetUploaded.make({ ...facts, published: false, subject, text })
const requested = Event.VoteRequested.make({ snippet, request: "g1", count: 5 })
const grade = Grade({ snippet, request: "g1", value: -1, count: 5, task: "a slug", reason: "It is a stub." })
const verdict = Event.VoteCast.make({
  snippet,
  value: -1,
  count: 5,
  source: "ai",
  voter: null,
  request: "g1",
  subject,
  text: { task: "a slug", reason: "It is a stub.", origin: null }
})
const failed = Event.GradingFailed.make({ snippet, request: "g1", subject, text: { error: "overloaded" } })
const cancelled = Event.GradingCancelled.make({ snippet, request: "g1", cause: "expired" })

describe("a grading that was asked for", () => {
  it("ends with a verdict, once", () => {
    given(Snippet, [uploaded, requested]).when(grade).then(verdict)
    given(Snippet, [uploaded, requested, verdict]).when(grade).then()
  })

  it("or fails, and then takes no verdict any more", () => {
    const fail = FailGrading({ snippet, request: "g1", error: "overloaded" })
    given(Snippet, [uploaded, requested]).when(fail).then(failed)
    given(Snippet, [uploaded, requested, failed]).when(fail).then()
    given(Snippet, [uploaded, requested, failed]).when(grade).then()
  })

  it("or is not due any more", () => {
    const cancel = CancelGrading({ snippet, request: "g1", cause: "expired" })
    given(Snippet, [uploaded, requested]).when(cancel).then(cancelled)
    given(Snippet, [uploaded, requested, cancelled]).when(grade).then()
  })
})

it("nobody grades what was not asked for", () => given(Snippet, [uploaded]).when(grade).then())

const functions = {
  found: [{ fingerprint: "fn_1", name: "slugify", signature: "def slugify()" }],
  observed: {
    telemetry: [{ name: "slugify", calls: 3, averageSize: 8, emptyRate: 0 }],
    errors: [{ type: "TypeError", message: "no text", functions: ["slugify"] }]
  }
}
const upload = UploadSnippet({ ...facts, publish: false, text, vote: null, grading: null, functions })
const tracked = Event.FunctionsTracked.make({
  snippet,
  home: "acme",
  subject,
  text: { agent: "agent", functions: functions.found }
})
const observed = Event.FunctionsObserved.make({ snippet, succeeded: true, subject, text: functions.observed })

describe("the reputation of functions", () => {
  it("is kept from the first upload that asks for it", () => {
    given(Snippet, []).when(upload).then(uploaded, tracked, observed)
  })

  it("goes on with each further run, and names the functions only once", () => {
    const { path, task, dependencies, logs, agent } = text
    const added = Event.TaskAdded.make({
      snippet,
      author: "ada",
      succeeded: true,
      subject,
      text: { path, task, dependencies, logs, agent }
    })
    given(Snippet, [uploaded]).when(upload).then(added, tracked, observed)
    given(Snippet, [uploaded, tracked, observed]).when(upload).then(added, observed)
    // nor does it need to be asked for again
    const unasked = { ...upload, functions: { ...functions, found: null } }
    given(Snippet, [uploaded, tracked, observed]).when(unasked).then(added, observed)
    given(Snippet, [uploaded]).when(unasked).then(added)
    given(Snippet, []).when(unasked).then(uploaded)
  })
})

describe("laws", () =>
  laws(Snippet, SnippetEvent, [
    grade,
    upload,
    FailGrading({ snippet, request: "g1", error: "overloaded" }),
    CancelGrading({ snippet, request: "g1", cause: "expired" })
  ]))
