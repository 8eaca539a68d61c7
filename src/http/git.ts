import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { repositoryOf } from "#domain/Workspace.ts"
import { GitTransport } from "#ports/GitTransport.ts"
import { Workspaces } from "#ports/Workspaces.ts"
import { Authentication, Caller, Problems, Rate } from "#src/api/middleware.ts"
import { Problem, statusOf } from "#src/api/Problem.ts"
import { followHead, unlessErased } from "#src/workspaces.ts"
import { orProblem } from "./refusals.ts"
import { noWorkspace, own } from "./Workspaces.ts"

const readOnly = new Problem({
  code: "permission/read_only",
  message:
    "Over git a workspace can be cloned and fetched, not pushed to: what its agents write is committed by chats. Give the agent a task with POST /api/agent-chat."
})

const noFile = new Problem({
  code: "not_found/file",
  message: "The repository has no such file. Clone it with git: the URL ends with .git."
})

const unreadable = new Problem({
  code: "validation/invalid_body",
  message: "The body is not what its Content-Encoding says. Send it plain or as gzip."
})

/** Of what a client says that it has, uncompressed: some 160,000 commits. */
const requestBytes = 8 * 1024 * 1024
/** In which all of it has to come. */
const patience = "60 seconds"

const tooSlow = new Problem({
  code: "body/too_slow",
  message: "The request came too slowly. Fetch again, over a faster connection."
})

const caching = { "cache-control": "no-cache, max-age=0, must-revalidate" }

/** The key of a request: the password of Basic credentials, whatever the user's name, or a bearer's. */
const keyOf = (header: string | undefined): string => {
  const [, scheme = "", credentials = ""] = /^(basic|bearer) +(\S+)$/i.exec(header ?? "") ?? []
  if (scheme.toLowerCase() === "bearer") return credentials
  const pair = Buffer.from(credentials, "base64").toString("utf8")
  return pair.slice(pair.indexOf(":") + 1)
}

/** What of a request's path is behind `/git/`. */
const partsOf = (url: string) => {
  const [path = "", query = ""] = url.split("?")
  const [, id = "", file = ""] = /^\/git\/([^/]+)\.git\/(.+)$/.exec(path) ?? []
  return { id, file, service: new URLSearchParams(query).get("service") }
}

/** The protocol versions that a client offers; anything else in the header is not passed on to git. */
const versionOf = (header: string | undefined): string | undefined =>
  header !== undefined && /^version=[0-2](:[a-z0-9=:-]{1,64})?$/.test(header) ? header : undefined

const plainOf = (request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array, unknown> => {
  const encoding = request.headers["content-encoding"]
  if (encoding === undefined || encoding === "identity") return request.stream
  const plain = Stream.toReadableStream(request.stream).pipeThrough(
    new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>
  )
  return Stream.fromReadableStream({ evaluate: () => plain, onError: () => unreadable })
}

/** The whole request: before it is there, git has nothing to do. */
const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* Stream.runForEach(plainOf(request), (chunk) => {
    bytes += chunk.length
    if (bytes > requestBytes) return Effect.fail(unreadable)
    chunks.push(chunk)
    return Effect.void
  }).pipe(
    Effect.mapError(() => unreadable),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tooSlow) })
  )
  return new Uint8Array(Buffer.concat(chunks))
})

const answer = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { id, file, service } = partsOf(request.url)
  if (service === "git-receive-pack" || file === "git-receive-pack") return yield* readOnly
  const { tenant } = yield* Caller
  const workspace = yield* own(id)
  const git = yield* Workspaces
  const transport = yield* GitTransport
  const repository = repositoryOf(workspace.id, workspace.generation)
  const version = versionOf(request.headers["git-protocol"])
  const { smart } = transport

  if (request.method === "POST") {
    const encoding = request.headers["content-encoding"] ?? "identity"
    if (file !== "git-upload-pack" || smart === undefined) return yield* noFile
    if (!["gzip", "x-gzip", "identity"].includes(encoding)) return yield* unreadable
    const asked = yield* bodyOf(request)
    return HttpServerResponse.stream(smart.uploadPack(tenant, repository, version, asked), {
      contentType: "application/x-git-upload-pack-result",
      headers: caching
    })
  }
  if (file === "info/refs") {
    // a clone has what the log has, also of a chat that ended a moment ago in another process
    const upToDate = Effect.flatMap(git.ref(repository), (ref) =>
      ref === workspace.head ? Effect.void : followHead(workspace.id)
    )
    yield* unlessErased(workspace, upToDate, noWorkspace)
    if (service === "git-upload-pack" && smart !== undefined) {
      return HttpServerResponse.stream(smart.advertise(tenant, repository, version), {
        contentType: "application/x-git-upload-pack-advertisement",
        headers: caching
      })
    }
  }
  const found = yield* transport.file(repository, file)
  if (found === undefined) return yield* noFile
  return HttpServerResponse.stream(found.bytes, {
    contentType: file === "info/refs" || file === "HEAD" ? "text/plain" : "application/octet-stream",
    contentLength: found.size,
    headers: caching
  })
})

/** A file-by-file clone takes a request for each object: only what every clone and fetch begins with is counted. */
const counted = (url: string): boolean => /\/(info\/refs|git-upload-pack|git-receive-pack)$/.test(url.split("?")[0]!)

/** The middlewares of the other routes, for one that is not part of the API's document. */
const handler = Effect.gen(function* () {
  const authentication = yield* Authentication
  const problems = yield* Problems
  const rate = yield* Rate
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const endpoint = { path: "/git", method: request.method } as never
    const options = { endpoint, group: undefined as never }
    const own = orProblem(answer)
    const rated = counted(request.url) ? rate(own as never, options) : own
    const credential = Redacted.make(keyOf(request.headers["authorization"]))
    const response = yield* problems(
      authentication.bearer(rated as never, { ...options, credential }) as never,
      options
    )
    return response.status === statusOf["auth/missing_api_key"]
      ? HttpServerResponse.setHeader(response, "www-authenticate", 'Basic realm="cairn", charset="UTF-8"')
      : response
  })
})

/** `git clone` and `git fetch` of a workspace. */
export const layer = Layer.unwrap(
  Effect.map(handler, (handle) =>
    Layer.mergeAll(HttpRouter.add("GET", "/git/*", handle as never), HttpRouter.add("POST", "/git/*", handle as never))
  )
)
