import { readFileSync } from "node:fs"
import { Effect, Stream } from "effect"
import { assert, it } from "vitest"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { BackupTarget, BesideRows, RepositoryCopy, RepositoryGone } from "#ports/Backup.ts"
import { Installation } from "#ports/Installation.ts"
import { LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import { isShaped } from "#src/audit/backup/shape.ts"
import { take } from "#src/audit/backup/take.ts"

const tenant = "00000000-0000-4000-8000-000000000001"
const workspace = "00000000-0000-5000-8000-000000000005"

/** What was ever written of a type, with changes. */
const golden = (type: string, more: object) => ({
  ...JSON.parse(readFileSync(new URL(`../domain/golden/${type}.1.json`, import.meta.url), "utf8")).data,
  ...more
})

const event = (position: number, type: string, data: object, more: Partial<WholeEvent> = {}): WholeEvent => ({
  position: positionOf(position),
  tenant,
  stream: `s-${position}`,
  revision: 1,
  eventId: `00000000-0000-4000-8000-${String(position).padStart(12, "0")}`,
  type,
  schemaVersion: 1,
  recordedAt: 1_700_000_000_000,
  actor: { key: null, user: null, organization: null },
  commandId: tenant,
  correlationId: tenant,
  causationId: null,
  request: null,
  data: JSON.stringify(golden(type, data)),
  hasText: false,
  text: null,
  digest: null,
  ...more
})

type Copy = RepositoryCopy["Service"]

/** A log that has more each time its head is asked for, and files in memory. */
const taken = (
  logs: ReadonlyArray<ReadonlyArray<WholeEvent>>,
  pack: Copy["pack"] = () => Effect.die("no repository")
) => {
  let asked = 0
  let at = 0
  const files = new Map<string, string>()
  const order: Array<string> = []
  const head = Effect.sync((): Position => {
    at = Math.min(asked++, logs.length - 1)
    return logs[at]!.at(-1)!.position
  })
  const source: LogSource["Service"] = {
    engine: "postgres",
    head,
    page: (after) => Effect.sync(() => ({ events: logs[at]!.filter(({ position }) => position > after), more: false })),
    find: () => Effect.undefined
  }
  const target: BackupTarget["Service"] = {
    encrypted: false,
    partBytes: 1_000_000,
    begin: (plain, { compressed }) =>
      Effect.sync(() => {
        const name = compressed ? `${plain}.gz` : plain
        // an archive can't take back what it has sent
        assert.notInclude(order, name)
        let text = ""
        return {
          write: (bytes) => Effect.sync(() => void (text += new TextDecoder().decode(bytes))),
          finish: Effect.sync(() => {
            files.set(name, text)
            order.push(name)
            return { name, bytes: text.length, sha256: "" }
          })
        }
      }),
    put: (name, text) =>
      Effect.sync(() => {
        files.set(name, text)
        order.push(name)
      })
  }
  return Effect.runPromise(
    take(undefined, () => {}).pipe(
      Effect.provideService(LogSource, source),
      Effect.provideService(BackupTarget, target),
      Effect.provideService(BesideRows, {
        pages: Stream.fromEffect(
          Effect.sync(() => {
            // before anything is read of the log
            assert.strictEqual(asked, 0)
            return ["{}"]
          })
        )
      }),
      Effect.provideService(RepositoryCopy, { pack, make: () => Effect.void, names: Effect.succeed([]) }),
      Effect.provideService(Installation, { secret: "s" })
    )
  ).then((manifest) => ({ manifest, files, order }))
}

it("a backup that meets a text that is gone goes on to the event that erased it; the manifest is last", async () => {
  const stored = event(1, "SnippetUploaded", {}, { hasText: true })
  const erased = event(2, "TextErased", { subjects: ["snippet/gone"] })
  const { manifest, files, order } = await taken([[stored], [stored, erased]])
  assert.deepInclude(manifest.log, { after: Number(beginning), to: 2, events: 2 })
  assert.include(files.get("erasures/000001.ndjson.gz"), "snippet/gone")
  assert.deepStrictEqual(
    [order[0], order[1], order.at(-1)],
    ["cairn-backup.json", "beside/000001.ndjson.gz", "backups/000001.json"]
  )
})

it("a repository that is gone takes the log on to where it was erased; where it does not say so, there is no backup", async () => {
  const gone = () => Effect.fail(new RepositoryGone({ repository: workspace }))
  const committed = event(1, "FilesChanged", { workspace })
  const erased = event(2, "WorkspaceErased", { workspace, generation: 0 })
  const { manifest } = await taken([[committed], [committed, erased]], gone)
  assert.deepStrictEqual(manifest.erased, [workspace])
  assert.isEmpty(manifest.files.filter(({ holds }) => holds === "pack"))
  const refused = await taken([[committed]], gone).then(
    () => "",
    (error) => String(error)
  )
  assert.include(refused, "is not there, and the log does not say that it was erased")
})

it("a repository that goes on while another one is found to be gone is sent once more, from where it was", async () => {
  const other = "00000000-0000-5000-8000-000000000006"
  const [first, second] = ["1".repeat(40), "2".repeat(40)]
  const sent: Array<[since: string | undefined, commit: string]> = []
  const pack: Copy["pack"] = (repository, since, commit) =>
    Effect.suspend(() => {
      if (repository !== workspace) return Effect.fail(new RepositoryGone({ repository }))
      sent.push([since, commit])
      return Effect.succeed({ objects: 0, pieces: Stream.empty, index: () => new Uint8Array() })
    })
  const begun = [
    event(1, "FilesChanged", { workspace, commit: first }),
    event(2, "FilesChanged", { workspace: other, commit: first })
  ]
  const went = event(3, "FilesChanged", { workspace, commit: second })
  const erased = event(4, "WorkspaceErased", { workspace: other, generation: 0 })
  const { manifest } = await taken([begun, [...begun, went, erased]], pack)
  assert.deepStrictEqual(sent, [
    [undefined, first],
    [first, second]
  ])
  assert.isTrue(isShaped(manifest, undefined))
  const packs = manifest.files.filter(({ holds }) => holds === "pack")
  assert.deepStrictEqual(
    packs.map(({ name, commit }) => [name, commit]),
    [
      [`repositories/${workspace}/000001.pack`, first],
      [`repositories/${workspace}/000001-000002.pack`, second]
    ]
  )
})
