import { Context, Effect } from "effect"
import { McpSchema, type McpServer } from "effect/ai"
import type { Problem } from "#src/api/Problem.ts"
import type { Operations } from "./Operations.ts"

type Server = McpServer.McpServer["Service"]

const skillUri = "cairn://skill.md"

/** Where a workspace's file is to be read: each part of a template's variable is encoded, slashes too. */
export const fileUri = (workspace: string, path: string): string =>
  `cairn://workspaces/${workspace}/files/${encodeURIComponent(path)}`

/** Whose file a URI names; slashes may stand in it as they are. */
const partsOf = (uri: string) => {
  const [, workspace, rest] = /^cairn:\/\/workspaces\/([^/]+)\/files\/(.+)$/s.exec(uri) ?? []
  if (workspace === undefined || rest === undefined) return undefined
  try {
    return { workspace: decodeURIComponent(workspace), path: decodeURIComponent(rest) }
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Bytes that are text as text, others as they are. */
const contentOf = (uri: string, bytes: Uint8Array) => {
  try {
    const text = utf8.decode(bytes)
    if (!text.includes("\u0000")) return { uri, mimeType: "text/plain", text }
  } catch {}
  return { uri, mimeType: "application/octet-stream", blob: bytes }
}

const invalid = (message: string) => new McpSchema.InvalidParams({ message })

const noFile = invalid(
  "There is no such file. Read cairn://workspaces/{id}/files/{path}, with the workspace_id and a path that chat answered with."
)

/** Of what only we can mend, the other side learns no more than to come again. */
const errorOf = ({ code, message }: Problem) =>
  code.startsWith("unavailable/") || code.startsWith("internal/")
    ? new McpSchema.InternalError({ message })
    : invalid(message)

/** What can be read: how to use the service, and the files of the caller's workspaces. */
export const addResources = Effect.fnUntraced(function* (server: Server, { skill, file }: Operations) {
  yield* server.addResource({
    resource: new McpSchema.Resource({
      ...{ uri: skillUri, name: "skill.md", title: "How agents use Cairn", mimeType: "text/markdown" },
      description: "Every operation of the service, with examples."
    }),
    annotations: Context.empty(),
    handle: Effect.succeed({ contents: [{ uri: skillUri, mimeType: "text/markdown", text: skill }] })
  })
  yield* server.addResourceTemplate({
    template: new McpSchema.ResourceTemplate({
      ...{ uriTemplate: "cairn://workspaces/{id}/files/{path}", name: "workspace file", title: "A workspace's file" },
      description: "A file as the workspace's last commit has it; chat answers with the workspace's id and its files."
    }),
    annotations: Context.empty(),
    // the server asks for a match only; a path has more parts than one
    routerPath: "cairn:://workspaces/:0/files/*",
    completions: {},
    handle: (uri) =>
      Effect.gen(function* () {
        const parts = partsOf(uri)
        if (parts === undefined) return yield* noFile
        const bytes = yield* Effect.mapError(file(parts), errorOf)
        return { contents: [contentOf(uri, bytes)] }
        // the route's middlewares give what the call brings with it
      }) as Effect.Effect<never>
  })
})
