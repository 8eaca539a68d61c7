import { Context, Effect } from "effect"
import { McpSchema, type McpServer } from "effect/ai"
import { Problem } from "#src/api/Problem.ts"
import type { Operations } from "./Operations.ts"
import { Parts } from "./Parts.ts"
import { contentOf, mostBytes } from "./resourceContent.ts"
import { fileOf, filesUri, fileUri, idOf, skillUri, snippetUri, workspacesUri } from "./uris.ts"

type Server = McpServer.McpServer["Service"]

/** Lines that a list has. */
const mostListed = 1_000

const invalid = (message: string) => new McpSchema.InvalidParams({ message })

/** What a route says of a missing thing, in words for a caller that has no routes. */
const missing: { readonly [code: string]: string } = {
  "not_found/workspace": `You have no workspace with this id. Read ${workspacesUri}, which lists those that you have.`,
  "not_found/file": `There is no such file. Read ${filesUri("{id}")}, which lists a workspace's files, or the source of a repository, which lists its own.`,
  "not_found/snippet": "You see no snippet with this id. Search for it: each match has its code_block_id.",
  "not_found/repo": "You see no repository with this id. Search for it: each match has its code_block_id."
}
const noFile = invalid(missing["not_found/file"]!)

/** A problem as a protocol error. If only the service can mend it, the caller learns no more than to come again. */
const errorOf = ({ code, message }: Problem) =>
  code.startsWith("unavailable/") || code.startsWith("internal/")
    ? new McpSchema.InternalError({ message })
    : invalid(missing[code] ?? message)

interface Contents {
  readonly contents: ReadonlyArray<{
    readonly uri: string
    readonly mimeType: string
    readonly text?: string
    readonly blob?: Uint8Array
  }>
}

/** Contents as they stand in a message, long parts replaced: see `Parts`. */
const inParts = ({ contents }: Contents) =>
  Effect.map(Parts, (parts) => ({
    contents: contents.map(({ text, blob, ...content }) => ({
      ...content,
      ...(text === undefined ? {} : { text: parts.text(text) }),
      ...(blob === undefined ? {} : { blob: parts.bytes(blob) })
    }))
  }))

const markdown = (uri: string, text: string) => ({ contents: [{ uri, mimeType: "text/markdown", text }] })

/** `count`: how many there are in all; `undefined`: more than these, and nobody counted them. */
const listOf = (uri: string, count: number | undefined, lines: ReadonlyArray<string>, none: string) => {
  const more = count === undefined ? "" : `${count - lines.length} `
  const rest = count === lines.length ? [] : [`- … and ${more}more, which only the REST API lists`]
  return markdown(uri, lines.length === 0 ? none : [...lines, ...rest].join("\n"))
}

/** What can be read: how to use the service, the caller's workspaces with their files, and snippets whole. */
export const addResources = Effect.fnUntraced(function* (server: Server, operations: Operations) {
  const { skill, workspaces, files, file, snippet, repositoryFile } = operations

  /** The route's middlewares provide what a call needs, so for the server the effect needs nothing. */
  const handled = <E, R>(effect: Effect.Effect<Contents, E, R>) =>
    Effect.mapError(Effect.flatMap(effect, inParts), (error) =>
      error instanceof Problem ? errorOf(error) : error
    ) as Effect.Effect<never>

  const addTemplate = (
    template: { readonly uriTemplate: string; readonly name: string; readonly title: string },
    description: string,
    routerPath: string,
    read: (uri: string) => Effect.Effect<Contents, unknown, unknown>
  ) =>
    server.addResourceTemplate({
      template: new McpSchema.ResourceTemplate({ ...template, description }),
      annotations: Context.empty(),
      completions: {},
      routerPath,
      handle: (uri) => handled(read(uri))
    })

  yield* server.addResource({
    resource: new McpSchema.Resource({
      uri: skillUri,
      name: "skill.md",
      title: "How agents use Cairn",
      mimeType: "text/markdown",
      description: "Every operation of the service over HTTP, with examples."
    }),
    annotations: Context.empty(),
    handle: Effect.succeed(markdown(skillUri, skill))
  })
  yield* server.addResource({
    resource: new McpSchema.Resource({
      uri: workspacesUri,
      name: "workspaces",
      title: "Your workspaces",
      mimeType: "text/markdown",
      description: "The workspaces that chats have worked in, with the URIs of their lists of files."
    }),
    annotations: Context.empty(),
    handle: handled(
      Effect.map(workspaces(undefined), ({ workspaces: page, next_cursor }) =>
        listOf(
          workspacesUri,
          next_cursor === null ? page.length : undefined,
          page.map(
            ({ workspace_id, org_id, user_id, files, repository_bytes, updated_at, updated_by: { email } }) =>
              `- ${filesUri(workspace_id)}: org_id ${JSON.stringify(org_id)}, user_id ${JSON.stringify(user_id)}, files: ${files}${repository_bytes === null ? "" : `, bytes of its commits: ${repository_bytes}`}, changed ${updated_at}${email === null ? "" : ` by ${JSON.stringify(email)}`}`
          ),
          "No workspace yet: chat makes one."
        )
      )
    )
  })

  // the server only matches a path; its parts are read from the URI, because a file's path has several
  yield* addTemplate(
    { uriTemplate: filesUri("{id}"), name: "workspace files", title: "A workspace's files" },
    "The files of a workspace's last commit, with their URIs.",
    "cairn:://workspaces/:0/files",
    (uri) =>
      Effect.map(files({ id: idOf(uri), most: mostListed }), ({ files, count }) =>
        listOf(
          uri,
          count,
          files.map(({ path, size }) => `- ${fileUri(idOf(uri), path)}: ${JSON.stringify(path)}, ${size} bytes`),
          "No files."
        )
      )
  )
  yield* addTemplate(
    { uriTemplate: `${filesUri("{id}")}/{path}`, name: "workspace file", title: "A workspace's file" },
    "A file of the workspace's last commit; chat answers with the workspace's id and its files.",
    "cairn:://workspaces/:0/files/*",
    (uri) => {
      const wanted = fileOf(uri)
      if (wanted === undefined) return noFile
      return Effect.flatMap(file({ ...wanted, most: mostBytes }), (bytes) => contentOf(uri, bytes))
    }
  )
  yield* addTemplate(
    { uriTemplate: snippetUri("{id}"), name: "snippet", title: "A snippet" },
    "The whole snippet that search found: its source, tasks, votes and latest logs. A match's code_block_id is the id.",
    "cairn:://snippets/:0",
    (uri) => Effect.map(snippet({ id: idOf(uri) }), (page) => markdown(uri, page))
  )
  yield* addTemplate(
    { uriTemplate: `${snippetUri("{id}")}/files/{path}`, name: "repository file", title: "A repository's file" },
    "A file of a repository that search found; the match's source lists its files.",
    "cairn:://snippets/:0/files/*",
    (uri) => {
      const wanted = fileOf(uri)
      return wanted === undefined ? noFile : Effect.flatMap(repositoryFile(wanted), (bytes) => contentOf(uri, bytes))
    }
  )
})
