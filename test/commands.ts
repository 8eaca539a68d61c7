import { randomUUID } from "node:crypto"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { CommandEnvelope } from "#engine/CommandEnvelope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { nothingMore } from "#test/snippetText.ts"

/** A command on its way to a stream, under an id of its own unless told otherwise. */
export const given = <C>(stream: string, command: C, commandId: string = randomUUID()): CommandEnvelope<C> => ({
  tenant: "tenant",
  stream,
  command,
  commandId,
  correlationId: commandId,
  actor: { key: "key", user: "user", organization: "tenant" }
})

const text = {
  ...nothingMore,
  name: "slugify",
  path: "slug.ts",
  source: "…",
  entrypoint: "slugify"
}

export const uploadOf = (snippet: string) =>
  SnippetCommand.UploadSnippet({
    snippet,
    home: "tenant",
    generation: 0,
    sourceDigest: "digest",
    origin: "upload",
    author: null,
    language: "typescript",
    completeness: 1,
    succeeded: true,
    publish: false,
    text,
    vote: null,
    grading: null
  })

const vote = (snippet: string, count: number) =>
  SnippetCommand.CastVote({
    snippet,
    voter: null,
    task: null,
    vote: { value: 1, count, source: "human", origin: null }
  })

const streamOf = (snippet: string) => `snippet-${snippet}`

/** What tests do to a snippet; the same id again is the same command. */
export const uploadSnippet = (snippet: string, id?: string) =>
  dispatch(Snippet, given(streamOf(snippet), uploadOf(snippet), id))
export const castVote = (snippet: string, id?: string, count = 1) =>
  dispatch(Snippet, given(streamOf(snippet), vote(snippet, count), id))
export const deleteSnippet = (snippet: string, id?: string) =>
  dispatch(Snippet, given(streamOf(snippet), SnippetCommand.DeleteSnippet({ snippet }), id))

const newKey = (key: string) => ({ key, name: key, hash: `hash of ${key}`, prefix: "cairn_live_abcdefghi" })

export const register = (organization: string) =>
  dispatch(
    Organization,
    given(
      `organization-${organization}`,
      OrganizationCommand.RegisterOrganization({
        organization,
        name: "Acme",
        secret: "secret",
        tier: "ENTERPRISE",
        memberLimit: 100,
        owner: { user: "olga", email: "olga@example.org" },
        key: newKey(randomUUID())
      })
    )
  )

/** A new key, whose random parts differ each time, also under the same id. */
export const createKey = (organization: string, user: string, id?: string) =>
  dispatch(
    Organization,
    given(
      `organization-${organization}`,
      OrganizationCommand.CreateKey({
        by: null,
        member: { user, email: `${user}@example.org` },
        role: "member",
        key: newKey(randomUUID())
      }),
      id
    )
  )
