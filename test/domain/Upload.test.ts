import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { Upload, UploadCommand, UploadEvent } from "#domain/Upload.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { ReceiveUpload, CompleteUpload, EraseUpload } = UploadCommand
const { UploadReceived, EvidenceReceived, UploadStored, UploadErased } = UploadEvent.cases

const facts = { upload: "u1", home: "tenant", count: 3, graded: true, source: "human", tracked: false } as const
const text = {
  files: [
    { path: "a.py", content: "a = 1", vote: null },
    { path: "b.py", content: "b = 2", vote: -1 as const }
  ],
  ...{ task: "two files", workspace: null, agent: null, origin: null }
}
const evidence = {
  prompts: ["two files"],
  logs: [{ path: "run.log", contentType: null, size: 2, content: "ok" }]
}
const received = UploadReceived.make({ ...facts, files: 2, subject: "upload/u1/files", text })
const kept = EvidenceReceived.make({ upload: "u1", subject: "upload/u1", text: evidence })
const result = { upload: "u1", files: 2, snippets: ["s1", "s2"], gradings: 1 }
const stored = UploadStored.make(result)
const erased = UploadErased.make({ upload: "u1", subject: "upload/u1" })

const receive = ReceiveUpload({ ...facts, text, evidence })
const complete = CompleteUpload(result)
const erase = EraseUpload({ upload: "u1" })

describe("a bulk upload", () => {
  it("is received once: its files, and apart from them what they are judged by", () => {
    given(Upload, []).when(receive).then(received, kept)
    for (const history of [
      [received, kept],
      [received, kept, stored],
      [received, kept, stored, erased]
    ]) {
      given(Upload, history).when(receive).then()
    }
  })

  it("is stored once, and never before it is received", () => {
    given(Upload, []).when(complete).then()
    given(Upload, [received, kept]).when(complete).then(stored)
    given(Upload, [received, kept, stored]).when(complete).then()
    given(Upload, [received, kept, stored, erased]).when(complete).then()
  })

  it("is erased once, and never before it is stored", () => {
    given(Upload, []).when(erase).then()
    given(Upload, [received, kept]).when(erase).then()
    given(Upload, [received, kept, stored]).when(erase).then(erased)
    given(Upload, [received, kept, stored, erased]).when(erase).then()
  })

  it("loses its files' text when they are stored, and the rest when it is erased", () => {
    const subjects = [received, kept, stored, erased].map((event) => erasedBy(event))
    assert.deepStrictEqual(subjects, [[], [], [received.subject], [kept.subject]])
    assert.notStrictEqual(received.subject, kept.subject)
  })

  laws(Upload, UploadEvent, [receive, complete, erase])
})
