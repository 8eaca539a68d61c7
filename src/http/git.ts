import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { GitTransport } from "#ports/GitTransport.ts"
import { PushIntake } from "#ports/PushIntake.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Authentication, Caller, Problems, RequestRates } from "#src/api/middleware.ts"
import { Problem, statusOf } from "#src/api/Problem.ts"
import { followHead, unlessErased } from "#src/workspaces/restore.ts"
import { asked, unreadable } from "./git/asked.ts"
import { advertised } from "./git/pushed.ts"
import { received } from "./git/receive.ts"
import { Rooms } from "./middleware/body.ts"
import { orProblem } from "./refusals.ts"
import { noWorkspace, own } from "./Workspaces/own.ts"

const noGit = new Problem({
  code: "permission/read_only",
  message:
    "This service has no git to check a push with, so workspaces can only be cloned and fetched. Put files with PUT …/files, or an archive."
})

const noFile = new Problem({
  code: "not_found/file",
  message: "The repository has no such file. Clone it with git: the URL ends with .git."
})

const caching = { "cache-control": "no-cache, max-age=0, must-revalidate" }

/** The key of a request: the password of Basic credentials, whatever the user's name, or the bearer token. */
const keyOf = (header: string | undefined): string => {
  const [, scheme = "", credentials = ""] = /^(basic|bearer) +(\S+)$/i.exec(header ?? "") ?? []
  if (scheme.toLowerCase() === "bearer") return credentials
  const pair = Buffer.from(credentials, "base64").toString("utf8")
  return pair.slice(pair.indexOf(":") + 1)
}

/** The parts of a request's URL behind `/git/`. */
const partsOf = (url: string) => {
  const [path = "", query = ""] = url.split(/\?(.*)/s)
  const [, id = "", file = ""] = /^\/git\/([^/]+)\.git\/(.+)$/.exec(path) ?? []
  return { id, file, service: new URLSearchParams(query).get("service") }
}

const isPush = ({ file, service }: ReturnType<typeof partsOf>) =>
  service === "git-receive-pack" || file === "git-receive-pack"

/** The protocol versions that a client offers; anything else in the header is not passed on to git. */
const versionOf = (header: string | undefined): string | undefined =>
  header !== undefined && /^version=[0-2](:[a-z0-9=:-]{1,64})?$/.test(header) ? header : undefined

const answer = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const parts = partsOf(request.url)
  const { id, file, service } = parts
  const { tenant } = yield* Caller
  const workspace = yield* own(id)
  const git = yield* WorkspaceStore
  const transport = yield* GitTransport
  const repository = repositoryOf(workspace.id, workspace.generation)
  const version = versionOf(request.headers["git-protocol"])
  const { smart } = transport

  if (isPush(parts) && (yield* PushIntake).take === undefined) return yield* noGit
  if (request.method === "POST") {
    const encoding = request.headers["content-encoding"] ?? "identity"
    if (file === "git-receive-pack" && ["gzip", "x-gzip", "identity"].includes(encoding)) {
      return HttpServerResponse.uint8Array(yield* received(workspace), {
        contentType: "application/x-git-receive-pack-result",
        headers: caching
      })
    }
    if (file !== "git-upload-pack" || smart === undefined) return yield* noFile
    if (!["gzip", "x-gzip", "identity"].includes(encoding)) return yield* unreadable
    const wanted = yield* asked
    return HttpServerResponse.stream(smart.uploadPack(tenant, repository, version, wanted), {
      contentType: "application/x-git-upload-pack-result",
      headers: caching
    })
  }
  if (file === "info/refs") {
    // a clone has what the log has, even if a chat ended a moment ago in another process
    const upToDate = Effect.flatMap(git.ref(repository), (ref) =>
      ref === workspace.head ? Effect.void : followHead(workspace.id)
    )
    yield* unlessErased(workspace, upToDate, noWorkspace)
    if (service === "git-receive-pack") {
      return HttpServerResponse.stream(advertised(workspace.head), {
        contentType: "application/x-git-receive-pack-advertisement",
        headers: caching
      })
    }
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

/** Whether a request is counted: a file-by-file clone takes one for each object, so only those that begin it are. */
const counted = (url: string): boolean => /\/(info\/refs|git-upload-pack|git-receive-pack)$/.test(url.split("?")[0]!)

/** Runs the middlewares of the other routes for one that is not part of the API's document. */
const handler = Effect.gen(function* () {
  const authentication = yield* Authentication
  const problems = yield* Problems
  const rates = yield* RequestRates
  const rooms = yield* Rooms
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const identifier = isPush(partsOf(request.url)) ? "push" : "fetch"
    const endpoint = { path: "/git", method: request.method, identifier } as never
    const options = { endpoint, group: { identifier: "git" } as never }
    const own = orProblem(Effect.provideService(answer, Rooms, rooms))
    const rated = counted(request.url) ? Effect.andThen(rates.count("/git"), own) : own
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

/** `git clone`, `git fetch` and `git push` of a workspace. */
export const layer = Layer.unwrap(
  Effect.map(handler, (handle) =>
    Layer.mergeAll(HttpRouter.add("GET", "/git/*", handle as never), HttpRouter.add("POST", "/git/*", handle as never))
  )
)
