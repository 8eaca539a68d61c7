import { assert, describe, it } from "@effect/vitest"
import { Bundle, BundleCommand, BundleEvent } from "#domain/Bundle.ts"
import { erasedBy } from "#domain/erasures.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { ReceiveBundle, CompleteBundle, EraseBundle } = BundleCommand
const { UploadReceived, EvidenceReceived, LogFilesReceived, UploadStored, UploadErased } = BundleEvent.cases

const facts = { home: "tenant", count: 3, graded: true, source: "human", tracked: false } as const
const text = {
  files: [
    { path: "a.py", content: "a = 1", vote: null },
    { path: "b.py", content: "b = 2", vote: -1 as const }
  ],
  task: "two files",
  workspace: null,
  agent: null,
  origin: null
}
const evidence = {
  prompts: ["two files"],
  logs: [{ path: "run.log", contentType: null, size: 2, content: "ok" }]
}
const received = UploadReceived.make({ ...facts, upload: "u1", files: 2, subject: "upload/u1/files", text })
const kept = EvidenceReceived.make({ upload: "u1", subject: "upload/u1", text: { ...evidence, logs: [] } })
const logFiles = LogFilesReceived.make({ upload: "u1", subject: "upload/u1/logs", text: { logs: evidence.logs } })
const result = { files: 2, snippets: ["s1", "s2"], gradings: 1 }
const stored = UploadStored.make({ ...result, upload: "u1" })
const erased = UploadErased.make({ upload: "u1", subject: "upload/u1", logs: true })

const receive = ReceiveBundle({ ...facts, bundle: "u1", text, evidence })
const complete = CompleteBundle({ ...result, bundle: "u1" })
const erase = EraseBundle({ bundle: "u1" })

describe("a bundle", () => {
  it("is received once: its files, and apart from them what they are judged by", () => {
    given(Bundle, []).when(receive).then(received, kept, logFiles)
    for (const history of [
      [received, kept, logFiles],
      [received, kept, logFiles, stored],
      [received, kept, logFiles, stored, erased]
    ]) {
      given(Bundle, history).when(receive).then()
    }
  })

  it("is stored once, and never before it is received", () => {
    given(Bundle, []).when(complete).then()
    given(Bundle, [received, kept, logFiles]).when(complete).then(stored)
    given(Bundle, [received, kept, logFiles, stored]).when(complete).then()
    given(Bundle, [received, kept, logFiles, stored, erased]).when(complete).then()
  })

  it("is erased once, and never before it is stored", () => {
    given(Bundle, []).when(erase).then()
    given(Bundle, [received, kept, logFiles]).when(erase).then()
    given(Bundle, [received, kept, logFiles, stored]).when(erase).then(erased)
    given(Bundle, [received, kept, logFiles, stored, erased]).when(erase).then()
  })

  it("loses its files' text when they are stored, and the rest when it is erased", () => {
    const subjects = [received, kept, logFiles, stored, erased].map((event) => erasedBy(event))
    assert.deepStrictEqual(subjects, [[], [], [], [received.subject], [kept.subject, logFiles.subject]])
    assert.strictEqual(new Set([received.subject, kept.subject, logFiles.subject]).size, 3)
  })

  it("has log files of their own only where some came, or where an older release did not keep them apart", () => {
    const bare = ReceiveBundle({ ...facts, bundle: "u1", text, evidence: { ...evidence, logs: [] } })
    given(Bundle, []).when(bare).then(received, kept)
    const older = EvidenceReceived.make({ ...kept, text: evidence })
    for (const one of [kept, older]) {
      const gone = UploadErased.make({ ...erased, logs: false })
      given(Bundle, [received, one, stored]).when(erase).then(gone)
      assert.deepStrictEqual(erasedBy(gone), [kept.subject])
    }
  })

  laws(Bundle, BundleEvent, [receive, complete, erase])
})
