import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { BundleEvent, logFilesOf } from "#domain/Bundle.ts"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { personId, userSubject } from "#domain/Person.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { User, UserCommand } from "#domain/User.ts"
import { Asker } from "#engine/ask.ts"
import { dispatch } from "#engine/dispatch.ts"
import { positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Installation } from "#ports/Installation.ts"
import { Learned } from "#projections/Learned.ts"
import { Patterns } from "#projections/Patterns.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { verify } from "#src/audit/verify.ts"
import { upToDate } from "#src/cli/log.ts"
import * as Codec from "#src/codec.ts"
import { tool } from "#src/commandLine.ts"
import { eraseTenant } from "#src/keys/eraseTenant.ts"
import { EraseTenants } from "#src/keys/reactions/EraseTenants.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { openWorkspace } from "#src/workspaces/open.ts"
import { claimOf, streamOf } from "#src/workspaces/restore.ts"
import { given, uploadOf } from "#test/commands.ts"
import { ended, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { fine } from "#test/http/routes.ts"
import { findByName, remove, stored, upload, vote } from "#test/http/store.ts"
import { says } from "#test/MessagesApi.ts"
import type { Call } from "#test/service/call.ts"
import { holdReadModels } from "#test/service/cut.ts"
import { memberKey, personal } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"

const email = "p@example.org"

describe("erasing a person without an organization", () => {
  startsAgent()

  const person = () => service.run(Effect.map(Installation, ({ secret }) => personId(secret, email)))
  const erasePerson = async () => {
    const user = await person()
    const commandId = randomUUID()
    const events = await service.run(
      dispatch(User, {
        tenant: user,
        stream: `user-${user}`,
        commandId,
        correlationId: commandId,
        command: UserCommand.EraseUser({ user }),
        actor: { key: null, user: null, organization: null }
      })
    )
    return events.at(-1)!.position
  }
  const done = (position: number) =>
    vi.waitFor(
      async () => {
        const reached = await service.run(Effect.flatMap(ReadModels, (models) => models.reaction(EraseTenants.name)))
        assert.isAtLeast(reached, position)
      },
      { timeout: 60_000, interval: 50 }
    )
  const texts = async () => {
    const rows = await service.sql<{ subject: string }>("SELECT subject FROM payloads WHERE tenant = $1", [
      await person()
    ])
    return rows.map(({ subject }) => subject)
  }

  const repositoryOf = (workspace: string) => join(service.dataDir, "workspaces", `${workspace}.git`)

  const searchesOf = async (user: string) =>
    (await service.sql("SELECT FROM events WHERE tenant = $1 AND type = 'SearchAnswered'", [user])).length
  /** Searches are in the log a moment after they are answered: a note may come behind an erasure, and goes then. */
  const noted = (user: string, count: number) =>
    vi.waitFor(async () => assert.strictEqual(await searchesOf(user), count), { timeout: 60_000, interval: 50 })

  /** What others find of published snippets. */
  const publicly = async () =>
    (await service.call("POST", "/api/retrieve/search", { task: "published task" }, { "x-cairn-public-snips": "true" }))
      .text

  it("takes their snippets, workspaces, searches and all other text, and nobody else's", async () => {
    await stored(service.call, "of_others")
    const { call } = await personal(service, email)
    await stored(call, "of_hers")
    await stored(call, "published", { public: true })
    await call("POST", "/api/retrieve/search", { task: "of_hers task" })
    scripts.set("hers", (turn) => (turn === 1 ? write("diary.txt") : says("Done.")))
    const { workspace_id } = await ended(call, "hers", "me")
    await noted(await person(), 1)
    // nobody has chatted in it
    const opened = await call("POST", "/api/workspaces", { org_id: "quiet", user_id: "me" })
    await call("PUT", `/api/workspaces/${opened.json.workspace_id}/files/diary.txt`, "dear diary")
    const repositories = [workspace_id, opened.json.workspace_id].map(repositoryOf)
    for (const repository of repositories) assert.isTrue(existsSync(repository))
    assert.isAbove((await texts()).length, 5)
    const ofOthers = async () =>
      (await service.sql<{ id: string }>("SELECT id FROM payloads WHERE tenant <> $1", [await person()])).map(
        ({ id }) => id
      )
    const others = await ofOthers()

    assert.include(await publicly(), "published.py")

    await done(await erasePerson())
    assert.deepStrictEqual(await texts(), [])
    assert.includeMembers(await ofOthers(), others)
    for (const repository of repositories) await vi.waitFor(() => assert.isFalse(existsSync(repository)), 60_000)
    await service.run(upToDate(...projections))
    assert.deepStrictEqual(
      await service.sql("SELECT FROM workspaces_v5.workspaces WHERE tenant = $1", [await person()]),
      []
    )
    assert.strictEqual((await call("GET", "/api/workspaces")).status, 401)
    assert.notInclude(await publicly(), "published.py")
  })

  const open = { "x-cairn-public-snips": "true" }
  /** All that is kept of what anybody typed: beside the log, and in read models that hold it as it was. */
  const kept = async () => {
    await service.run(upToDate(...projections))
    const rows = await service.sql<{ text: string }>(
      `SELECT convert_from(bytes, 'UTF8') AS text FROM payloads
       UNION ALL SELECT words FROM "${schemaOf(Snippets)}".comments
       UNION ALL SELECT task FROM "${schemaOf(Patterns)}".patterns
       UNION ALL SELECT tasks::text FROM "${schemaOf(Learned)}".votes`
    )
    return rows.map(({ text }) => text).join("\n")
  }
  const published = async (name: string) => {
    await stored(service.call, name, { public: true })
    return (await findByName(service.call, name))!.code_block.id
  }
  const say = async (by: Call, id: string, whose: string) => {
    fine(await by("POST", "/api/store/comment", { code_block_id: id, text: `comment of ${whose}` }, open))
    fine(await vote(by, id, true, { task: `vote of ${whose}` }, open))
  }

  it("takes what they said of others' public snippets, and leaves what others said, and their vote", async () => {
    const { call } = await personal(service, email)
    const other = await personal(service, "q@example.org")
    const id = await published("talked_of")
    // who is somebody's member says it there
    const member = service.as((await memberKey(service.call, email)).key)
    await say(call, id, "hers")
    await say(call, id, "hers again")
    await say(member, id, "hers as a member")
    await say(other.call, id, "another")
    await say(service.call, id, "the owner")
    const texts = await kept()
    for (const word of ["comment of hers again", "vote of hers again"]) assert.include(texts, word)
    const votes = async () => (await findByName(service.call, "talked_of"))!.thumbs_up
    const before = await votes()

    await done(await erasePerson())
    const left = await kept()
    for (const what of ["comment", "vote"]) {
      for (const whose of ["hers as a member", "another", "the owner"]) assert.include(left, `${what} of ${whose}`)
      assert.notMatch(left, new RegExp(`${what} of hers(?! as a member)`))
    }
    const { comments } = fine(await service.call("GET", `/api/snippets/${id}/comments`, undefined, open))
    assert.deepStrictEqual(
      comments.map(({ text }: { readonly text: string }) => text),
      ["comment of the owner", "comment of another", "comment of hers as a member"]
    )
    assert.strictEqual(await votes(), before)
    const { events } = fine(await service.call("GET", "/api/events?type=VotesErased", undefined, open))
    assert.deepStrictEqual(
      events.map(({ data }: { readonly data: object }) => data),
      // who it was is told to nobody, not even by what is the same of several votes
      [{ snippet: id, subject: "external" }]
    )
    // and with the snippet goes the rest
    await remove(service.call, id)
    assert.notInclude(await kept(), "vote of another")
  })

  it("leaves nothing of a deleted snippet's voters, however many they were", async () => {
    const id = await published("talked_of_by_many")
    const stream = `snippet-${id}`
    const [{ tenant } = { tenant: "" }] = await service.sql<{ tenant: string }>(
      "SELECT tenant FROM events WHERE stream = $1",
      [stream]
    )
    // more than two commands erase
    const votes = Array.from({ length: 1_001 }, () => {
      const user = randomUUID()
      const ballot = { value: 1, count: 1, source: "human", origin: null, home: user } as const
      const command = SnippetCommand.CastVote({ snippet: id, voter: user, task: "vote of many", vote: ballot })
      return dispatch(Snippet, { ...given(stream, command), tenant, actor: { key: "k", user, organization: null } })
    })
    await service.run(Effect.all(votes, { concurrency: "unbounded", discard: true }))
    fine(await remove(service.call, id))
    await done(await service.head())
    assert.notInclude(await kept(), "vote of many")
  })

  it("takes what they say of others' snippets in a request that was under way by then", async () => {
    const user = await person()
    const id = await published("talked_of_late")
    const stream = `snippet-${id}`
    const [{ tenant } = { tenant: "" }] = await service.sql<{ tenant: string }>(
      "SELECT tenant FROM events WHERE stream = $1",
      [stream]
    )
    const actor = { key: "revoked", user, organization: null }
    const { AddComment, CastVote } = SnippetCommand
    const comment = {
      snippet: id,
      comment: randomUUID(),
      author: user,
      home: user,
      agent: null,
      words: "comment, late"
    }
    const ballot = { value: 1, count: 1, source: "human", origin: null, home: user } as const
    for (const command of [
      AddComment(comment),
      CastVote({ snippet: id, voter: user, task: "vote, late", vote: ballot })
    ])
      await service.run(dispatch(Snippet, { ...given(stream, command), tenant, actor }))
    await done(await service.head())
    assert.notMatch(await kept(), /(comment|vote), late/)
  })

  it("takes what a request of theirs stores that was under way by then", async () => {
    // a write that was let in before its key was revoked
    const user = await person()
    const snippet = randomUUID()
    const actor = { key: "revoked", user, organization: null }
    const command = uploadOf(snippet)
    await service.run(dispatch(Snippet, { ...given(`snippet-${snippet}`, command), tenant: user, actor }))
    await done(await service.head())
    assert.deepStrictEqual(await texts(), [])
    const [last] = await service.sql<{ type: string }>(
      "SELECT type FROM events WHERE stream = $1 ORDER BY revision DESC LIMIT 1",
      [`snippet-${snippet}`]
    )
    assert.strictEqual(last!.type, "SnippetDeleted")
  })

  it("takes what a bundle of theirs is judged by, and its logs, though these come behind its files", async () => {
    const user = await person()
    const bundle = randomUUID()
    const { EvidenceReceived, LogFilesReceived } = BundleEvent.cases
    const logs = [{ path: "a.log", contentType: "text/plain", size: 3, content: "ok\n" }]
    for (const event of [
      EvidenceReceived.make({ upload: bundle, subject: `upload/${bundle}`, text: { prompts: ["late"], logs: [] } }),
      LogFilesReceived.make({ upload: bundle, subject: logFilesOf(bundle), text: { logs } })
    ]) {
      const commandId = randomUUID()
      const actor = { key: "revoked", user, organization: null }
      const command = { commandId, correlationId: commandId, causationId: null, actor, request: null }
      const commands = [{ ...command, events: [Codec.encode(event)] }]
      const append = { tenant: user, stream: `upload-${bundle}`, expected: "any" as const, commands }
      const { positions } = await service.run(Effect.flatMap(EventStore, (store) => store.append(append)))
      await done(positions[0]!)
      assert.deepStrictEqual(await texts(), [])
    }
  })

  it("takes a workspace of theirs that is opened by a request that was under way by then", async () => {
    const user = await person()
    const commandId = randomUUID()
    const actor = { key: "revoked", user, organization: null }
    const metadata = { commandId, correlationId: commandId, actor }
    const { workspace } = await service.run(openWorkspace(user, { org: "late", user: "me" }, metadata))
    await done(await service.head())
    await vi.waitFor(() => assert.isFalse(existsSync(repositoryOf(workspace))), 60_000)
    assert.deepStrictEqual(await texts(), [])
    const [last] = await service.sql<{ type: string }>(
      "SELECT type FROM events WHERE stream = $1 ORDER BY revision DESC LIMIT 1",
      [streamOf(workspace)]
    )
    assert.strictEqual(last!.type, "WorkspaceErased")
  })

  it("takes a workspace that a chat is about to open, and counts the chat, though read models are behind", async () => {
    const waits = "waits@example.org"
    await personal(service, waits)
    const user = await service.run(Effect.map(Installation, ({ secret }) => personId(secret, waits)))
    const [run, workspace] = [randomUUID(), randomUUID()]
    const before = positionOf(await service.head())
    const models = await holdReadModels(service)
    let released: Promise<void> | undefined
    const release = () => (released ??= models.release())
    const erased = Effect.gen(function* () {
      // or the service would carry it
      yield* (yield* Claims).claim(claimOf(workspace))
      const command = ChatCommand.RequestChat({
        run,
        workspace,
        generation: 0,
        homes: [user],
        includePublic: false,
        key: "k",
        model: "sonnet",
        maxTurns: 8,
        prompt: "first",
        org: "new",
        user: "me",
        memory: false
      })
      const actor = { key: "k", user, organization: null }
      const [requested] = yield* dispatch(Chat, { ...given(`chat-${run}`, command), tenant: user, actor })
      const asker = yield* Asker
      // they move once somebody waits for them
      const fresh: Asker["Service"]["fresh"] = (...asked) =>
        Effect.andThen(Effect.promise(release), asker.fresh(...asked))
      const reason = { tenant: user, position: requested!.position, eventId: randomUUID(), correlationId: run, actor }
      const erasing = eraseTenant("user", reason, before)
      yield* Effect.exit(Effect.provideService(erasing, Asker, { ...asker, fresh }))
      return (yield* (yield* EventStore).readStream(streamOf(workspace), -1)).events
    })
    const events = await service.run(Effect.scoped(erased)).finally(release)
    assert.deepStrictEqual(
      events.map(({ type, data }) => [type, JSON.parse(data).chats]),
      [["WorkspaceErased", 1]]
    )
  })

  it("takes what they had searched for when it is noted after the erasure, whatever was found", async () => {
    const user = await person()
    const stream = `retrieval-${user}-2026-01-01`
    // as a note is appended, a moment after the answer: snippets of others were found, and none
    for (const snippets of [[randomUUID()], []]) {
      const note = RetrievalEvent.cases.SearchAnswered.make({
        home: user,
        snippets,
        scores: snippets.map(() => 0.5),
        total: snippets.length,
        cacheHit: false,
        subject: searchSubject(stream, snippets),
        text: { query: "something private" }
      })
      const commandId = randomUUID()
      const actor = { key: "revoked", user, organization: null }
      const command = { commandId, correlationId: commandId, causationId: null, actor, request: null }
      const commands = [{ ...command, events: [Codec.encode(note)] }]
      const append = { tenant: user, stream, expected: "any" as const, commands }
      const { positions } = await service.run(Effect.flatMap(EventStore, (store) => store.append(append)))
      await done(positions[0]!)
      assert.deepStrictEqual(await texts(), [])
      // and one that comes after that has no text any more: nothing is erased, and nothing said of it
      const said = async () => (await service.sql("SELECT FROM events WHERE type = 'TextErased'")).length
      const before = await said()
      const again = { ...command, commandId: randomUUID(), events: [Codec.encode(note)] }
      const last = await service.run(
        Effect.flatMap(EventStore, (store) => store.append({ ...append, commands: [again] }))
      )
      await done(last.positions[0]!)
      assert.strictEqual(await said(), before)
    }
  })

  it("leaves read models that a replay makes the same", async () => {
    await service.run(upToDate(...projections))
    for (const projection of projections) {
      const { differences } = await service.run(replay(projection, { promote: false, progress: () => undefined }))
      assert.deepStrictEqual(differences, [], projection.name)
    }
  })

  it("leaves a log in which each missing text is told to be erased", async () => {
    const looked = verify(projections, () => undefined).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
    assert.deepStrictEqual((await service.run(looked)).findings, [])
  })

  it("lets the same e-mail begin anew, with the same code as a new snippet", async () => {
    const { call } = await personal(service, email)
    const user = await person()
    const searches = await searchesOf(user)
    assert.deepStrictEqual((await call("GET", "/api/workspaces")).json.workspaces, [])
    assert.strictEqual((await upload(call, "of_hers")).json.code_blocks_stored, 1)
    const { matches } = (await call("POST", "/api/retrieve/search", { task: "of_hers task" })).json
    assert.lengthOf(matches, 1)
    await noted(user, searches + 1)
    await done(await erasePerson())
    assert.deepStrictEqual(await texts(), [])
  })
})

it("is finished by the next service, when none was running, and takes nothing that came after it", async () => {
  const installation = await newInstallation()
  const user = await (async () => {
    const first = await startService({}, installation)
    const { call } = await personal(first, email)
    await stored(call, "left")
    const id = await first.run(Effect.map(Installation, ({ secret }) => personId(secret, email)))
    await first.stop()
    return id
  })()
  const commandId = randomUUID()
  const erasing = dispatch(User, {
    tenant: user,
    stream: `user-${user}`,
    commandId,
    correlationId: commandId,
    command: UserCommand.EraseUser({ user }),
    actor: { key: null, user: null, organization: null }
  })
  const actor = { key: null, user, organization: null }
  const key = { key: randomUUID(), name: "again", hash: "hash", prefix: "cairn_live_abcdefghi" }
  const comingAgain = dispatch(User, {
    ...given(`user-${user}`, UserCommand.CreatePersonalKey({ user, email, secret: "secret", key })),
    tenant: user,
    actor
  })
  const snippet = randomUUID()
  const storing = dispatch(Snippet, { ...given(`snippet-${snippet}`, uploadOf(snippet)), tenant: user, actor })
  // as the command line does it, which runs no reactions
  const all = Effect.andThen(erasing, Effect.andThen(comingAgain, storing))
  await Effect.runPromise(
    Effect.provide(all, tool({ dataDir: installation.dataDir, databaseUrl: installation.database }))
  )
  const next = await startService({}, installation)
  const head = await next.head()
  await vi.waitFor(
    async () => {
      const reached = await next.run(Effect.flatMap(ReadModels, (models) => models.reaction(EraseTenants.name)))
      assert.isAtLeast(reached, head)
    },
    { timeout: 60_000, interval: 50 }
  )
  const left = await next.sql<{ subject: string }>("SELECT subject FROM payloads WHERE tenant = $1", [user])
  const subjects = new Set(left.map(({ subject }) => subject))
  assert.deepStrictEqual(subjects, new Set([userSubject(user, 1), `snippet/${snippet}`]))
  await next.stop()
  removeInstallation(installation)
})
