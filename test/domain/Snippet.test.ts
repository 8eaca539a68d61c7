import { assert, describe, it } from "@effect/vitest"
import { HashMap } from "effect"
import { erasedBy } from "#domain/erasures.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { SnippetEvent, type UploadedText } from "#domain/Snippet/events.ts"
import { subjectOfVote } from "#domain/Snippet/votes.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { UploadSnippet, CastVote, DeleteSnippet, EraseVotes } = SnippetCommand
const { SnippetUploaded, TaskAdded, SnippetPublished, VoteRequested, VoteCast, VotesErased, SnippetDeleted } =
  SnippetEvent.cases

const snippet = "s1"
const subject = "snippet/s1"
const text: UploadedText = {
  name: "slugify",
  path: "lib/slug.ts",
  source: "export const slugify = …",
  entrypoint: "slugify",
  description: "Turns a title into a slug",
  languageVersion: null,
  dependencies: { lodash: "4" },
  tags: ["text"],
  capabilities: [],
  inputSchema: { type: "object" },
  outputSchema: {},
  exampleQueries: ["make a slug"],
  externalId: null,
  workspace: null,
  agent: "agent",
  task: "a slug for a title",
  logs: "ok"
}
const facts = {
  snippet,
  home: "acme",
  generation: 0,
  sourceDigest: "digest",
  origin: "upload",
  author: "ada",
  language: "typescript",
  completeness: 0.5,
  succeeded: true
} as const

type Upload = Parameters<typeof UploadSnippet>[0]
const upload = (how: Partial<Upload> = {}) =>
  UploadSnippet({ ...facts, publish: false, text, vote: null, grading: null, ...how })

const uploaded = (published = false) => SnippetUploaded.make({ ...facts, published, subject, text })
const added = (author: string | null = "ada", task: string | null = "a slug for a title") => {
  const { path, dependencies, logs, agent } = text
  return TaskAdded.make({ snippet, author, succeeded: true, subject, text: { path, task, dependencies, logs, agent } })
}
const published = SnippetPublished.make({ snippet })
const deleted = SnippetDeleted.make({ snippet, subject, comments: [], executions: [], logs: [] })

const up: NewVote = { value: 1, count: 3, source: "human", origin: "review" }
const cast = (voter: string | null, { value, count, source, origin }: NewVote, task: string | null) =>
  VoteCast.make({ snippet, value, count, source, voter, request: null, subject, text: { task, reason: null, origin } })

describe("votes that come with a snippet from elsewhere", () => {
  const brought: ReadonlyArray<NewVote> = [
    { value: 1, count: 4, source: "human", origin: "import" },
    { value: -1, count: 2, source: "ai", origin: "import" }
  ]
  const command = upload({ origin: "import", broughtVotes: brought })

  it("count when it is new, for nobody and no task", () => {
    const first = SnippetUploaded.make({ ...facts, origin: "import", published: false, subject, text })
    given(Snippet, [])
      .when(command)
      .then(first, ...brought.map((vote) => cast(null, vote, null)))
  })

  it("do not count when it is there", () => {
    given(Snippet, [uploaded()]).when(command).then(added())
  })
})

describe("uploading a snippet", () => {
  it("stores it", () => given(Snippet, []).when(upload()).then(uploaded()))

  it("stores it in the open when asked to, in one event", () =>
    given(Snippet, [])
      .when(upload({ publish: true }))
      .then(uploaded(true)))

  it("takes the uploader's vote for its task", () =>
    given(Snippet, [])
      .when(upload({ vote: up }))
      .then(uploaded(), cast("ada", up, "a slug for a title")))

  it("asks for a grading when no vote is given", () =>
    given(Snippet, [])
      .when(upload({ grading: { request: "g1", count: 5 } }))
      .then(uploaded(), VoteRequested.make({ snippet, request: "g1", count: 5 })))

  it("asks for no grading of what was voted on", () =>
    given(Snippet, [])
      .when(upload({ vote: up, grading: { request: "g1", count: 5 } }))
      .then(uploaded(), cast("ada", up, "a slug for a title")))
})

describe("uploading the same code again", () => {
  it("adds its task, and nothing of what the snippet says of itself", () => {
    const other = { ...text, name: "other", source: "…", description: "other", task: null }
    given(Snippet, [uploaded()])
      .when(upload({ author: null, text: other }))
      .then(added(null, null))
  })

  it("adds its vote or its grading", () => {
    given(Snippet, [uploaded()])
      .when(upload({ vote: up }))
      .then(added(), cast("ada", up, "a slug for a title"))
    given(Snippet, [uploaded()])
      .when(upload({ grading: { request: "g2", count: 1 } }))
      .then(added(), VoteRequested.make({ snippet, request: "g2", count: 1 }))
  })

  it("brings it into the open once, and never takes it back", () => {
    given(Snippet, [uploaded()])
      .when(upload({ publish: true }))
      .then(added(), published)
    given(Snippet, [uploaded(), published])
      .when(upload({ publish: true }))
      .then(added())
    given(Snippet, [uploaded(true)])
      .when(upload({ publish: true }))
      .then(added())
    given(Snippet, [uploaded(true)])
      .when(upload({ publish: false }))
      .then(added())
  })

  it("is refused once it was deleted: it is a new snippet then, of the next generation", () => {
    const refusal = given(Snippet, [uploaded(), deleted]).when(upload()).refuses("SnippetGone")
    assert.strictEqual(refusal.snippet, snippet)
  })
})

describe("voting on a snippet", () => {
  const vote = (voter: string | null, vote = up) => CastVote({ snippet, voter, task: "a task", vote })

  it("counts", () =>
    given(Snippet, [uploaded()])
      .when(vote("eve"))
      .then(cast("eve", up, "a task")))

  it("counts again for the same voter, and for the author", () => {
    given(Snippet, [uploaded(), cast("eve", up, "a task")])
      .when(vote("eve"))
      .then(cast("eve", up, "a task"))
    given(Snippet, [uploaded()])
      .when(vote("ada"))
      .then(cast("ada", up, "a task"))
  })

  it("counts downward too, and without a user", () => {
    const down: NewVote = { value: -1, count: 1, source: "ai", origin: null }
    given(Snippet, [uploaded()])
      .when(vote(null, down))
      .then(cast(null, down, "a task"))
  })

  it("finds none that never was or is deleted", () => {
    for (const history of [[], [uploaded(), deleted]]) {
      assert.strictEqual(given(Snippet, history).when(vote("eve")).refuses("SnippetNotFound").snippet, snippet)
    }
  })
})

describe("deleting a snippet", () => {
  const remove = DeleteSnippet({ snippet })

  it("erases all of its text", () => {
    given(Snippet, [uploaded(), added()]).when(remove).then(deleted)
    assert.deepStrictEqual(erasedBy(deleted), [subject])
    for (const event of [uploaded(), added(), published, cast("eve", up, null)]) {
      assert.deepStrictEqual(erasedBy(event), [])
    }
  })

  it("is done once, to one that is there", () => {
    given(Snippet, [uploaded(), deleted]).when(remove).refuses("SnippetNotFound")
    given(Snippet, []).when(remove).refuses("SnippetNotFound")
  })
})

describe("what voters of other tenants typed", () => {
  const whose = (home: string | undefined) => subjectOfVote(snippet, "acme", home, HashMap.empty())
  const [theirs, others] = [whose("other"), whose("another")]
  const voted = (home: string, task: string, of: string) =>
    VoteCast.make({
      snippet,
      home,
      value: 1,
      count: 3,
      source: "human",
      voter: "eve",
      request: null,
      subject: of,
      text: { task, reason: null, origin: "review" }
    })
  const vote = (home: string, task: string) => CastVote({ snippet, voter: "eve", task, vote: { ...up, home } })
  const erased = (of: string) => VotesErased.make({ snippet, subject: of })
  const first = voted("other", "one", theirs)

  it("has a subject of each tenant, which names none; that of the snippet's own is the snippet's", () => {
    assert.deepStrictEqual([undefined, "acme", "acme/w"].map(whose), [subject, subject, subject])
    assert.strictEqual(whose("other/w"), theirs)
    assert.notStrictEqual(theirs, others)
    for (const one of [theirs, others]) assert.match(one, /^snippet\/s1\/votes\/[0-9a-f-]{36}$/)
    given(Snippet, [uploaded(true)])
      .when(vote("other/w", "two"))
      .then(voted("other/w", "two", theirs))
    given(Snippet, [uploaded(true)])
      .when(vote("acme/w", "two"))
      .then(voted("acme/w", "two", subject))
  })

  it("goes when they are erased, without anybody else's", () => {
    const history = [uploaded(true), first, voted("another", "two", others)]
    const gone = erased(theirs)
    given(Snippet, history)
      .when(EraseVotes({ snippet, tenant: "other" }))
      .then(gone)
    assert.deepStrictEqual(erasedBy(gone), [theirs])
    given(Snippet, [...history, gone])
      .when(EraseVotes({ snippet, tenant: "other" }))
      .then()
    given(Snippet, history)
      .when(EraseVotes({ snippet, tenant: "nobody" }))
      .then()
    // an older process deletes a snippet, and leaves it
    given(Snippet, [...history, deleted])
      .when(EraseVotes({ snippet, tenant: "other" }))
      .then(gone)
    given(Snippet, [...history, deleted, gone])
      .when(EraseVotes({ snippet }))
      .then(erased(others))
  })

  it("goes in portions, as an append has its bounds", () => {
    const many = Array.from({ length: 1_001 }, (_, n) => voted(`t${n}`, "one", whose(`t${n}`)))
    const subjects = many.map((vote) => vote.subject).sort()
    const [some, more, last] = [subjects.slice(0, 500), subjects.slice(500, 1_000), subjects.slice(1_000)]
    const gone = [...some.map(erased), deleted]
    given(Snippet, [uploaded(true), ...many])
      .when(DeleteSnippet({ snippet }))
      .then(...gone)
    // of one that is there nothing goes without a tenant
    given(Snippet, [uploaded(true), ...many])
      .when(EraseVotes({ snippet }))
      .then()
    given(Snippet, [uploaded(true), ...many, ...gone])
      .when(EraseVotes({ snippet }))
      .then(...more.map(erased))
    given(Snippet, [uploaded(true), ...many, ...gone, ...more.map(erased)])
      .when(EraseVotes({ snippet }))
      .then(...last.map(erased))
    given(Snippet, [uploaded(true), ...many, ...gone, ...more.map(erased), ...last.map(erased)])
      .when(EraseVotes({ snippet }))
      .then()
  })

  it("is another text when who was erased comes again", () => {
    const history = [uploaded(true), first, erased(theirs)]
    const again = voted("other", "three", `${theirs}.1`)
    given(Snippet, history).when(vote("other", "three")).then(again)
    given(Snippet, [...history, again])
      .when(EraseVotes({ snippet, tenant: "other" }))
      .then(erased(`${theirs}.1`))
  })

  it("goes with the snippet; what an older release recorded lies under the snippet's own", () => {
    const old = voted("other", "zero", subject)
    given(Snippet, [uploaded(true), old])
      .when(EraseVotes({ snippet, tenant: "other" }))
      .then()
    given(Snippet, [uploaded(true), old, first, voted("another", "two", others)])
      .when(DeleteSnippet({ snippet }))
      .then(...[theirs, others].sort().map(erased), deleted)
    given(Snippet, [uploaded(true), first, erased(theirs)])
      .when(DeleteSnippet({ snippet }))
      .then(deleted)
  })
})

describe("Snippet", () => {
  laws(Snippet, SnippetEvent, [
    upload({ publish: true, vote: up }),
    CastVote({ snippet, voter: "eve", task: "a task", vote: { ...up, home: "other/w" } }),
    EraseVotes({ snippet, tenant: "other" }),
    upload({ grading: { request: "g", count: 1 } }),
    CastVote({ snippet, voter: null, task: null, vote: up }),
    DeleteSnippet({ snippet })
  ])
})
