import fs from "node:fs"
import { PassThrough } from "node:stream"
import { Effect, Layer, Stream } from "effect"
import { GitTransport, type ServedFile } from "#ports/GitTransport.ts"
import { lastWords } from "../../lastWords.ts"
import { isMissing } from "../../systemErrors.ts"
import { mustBeThere, onDisk } from "../fault.ts"
import { main, refOf } from "../Repository.ts"
import { repositoryPath } from "../repositories.ts"
import { type NativeGit, startGit } from "./git.ts"
import { type Permit, Permits } from "./Permits.ts"
import { Reader } from "./Reader.ts"

export interface Options {
  /** Where the repositories are. */
  readonly directory: string
  /** `undefined`: repositories are served file by file. */
  readonly git: NativeGit | undefined
}

/** Packs that are made at a time: each takes a processor, and memory for what it compares. */
const atOnce = 4
/** How many of these one tenant may have, so that the clones of others go on. */
const ofOneTenant = 2
/** How long a request waits for a permit. */
const queued = "2 minutes"
/** Seconds after which a client that neither sends nor takes anything is given up. */
const patience = 60

const headline = Buffer.from("001e# service=git-upload-pack\n0000", "latin1")

/**
 * Starts git on a repository. All listeners are attached before anything else may run: git can have ended by then, and
 * Node drops the output of a process that has ended if nobody reads it.
 */
const start = (
  git: NativeGit,
  gitdir: string,
  version: string | undefined,
  args: ReadonlyArray<string>,
  permit: Permit
) => {
  const environment = version === undefined ? {} : { GIT_PROTOCOL: version }
  const child = startGit(git, gitdir, ["-c", "pack.threads=1", "-c", "pack.windowMemory=64m", ...args], { environment })
  const reader = new Reader(patience)
  const watching = setInterval(() => reader.tooSlow(Date.now()) && child.kill("SIGTERM"), 1_000)
  watching.unref()
  const output = child.stdout.pipe(new PassThrough())
  const ended = () => {
    clearInterval(watching)
    // a slow reader may still have some of the output to take
    permit.release()
  }
  child.once("exit", ended).once("error", (error) => {
    ended()
    // git never ran: its output must fail, not end
    output.destroy(error)
  })
  return { child, said: reader.through(output as AsyncIterable<Uint8Array>) }
}

/** git's output for an input, as a stream. git ends with the stream, or when its reader is too slow. */
const through = (starting: () => ReturnType<typeof start>, input: Uint8Array): Stream.Stream<Uint8Array, unknown> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { child, said } = yield* Effect.acquireRelease(
        Effect.try(starting),
        // at this signal, git ends its own children too
        ({ child }) => Effect.sync(() => child.kill("SIGTERM"))
      )
      lastWords(child.stdin, input)
      return Stream.fromAsyncIterable(said, (error) => error)
    })
  )

const textFile = (text: string): ServedFile => {
  const bytes = Buffer.from(text)
  return { size: bytes.length, bytes: Stream.make(new Uint8Array(bytes)) }
}

/** Bytes of a file that are read at once. */
const piece = 64 * 1024

/** A file's bytes. It is opened when the first are asked for, which may be never: a HEAD request asks for none. */
async function* reading(path: string): AsyncGenerator<Uint8Array> {
  const file = await fs.promises.open(path, "r")
  try {
    yield* file.createReadStream({ highWaterMark: piece }) as AsyncIterable<Uint8Array>
  } finally {
    await file.close().catch(() => {})
  }
}

/**
 * An object or a pack. A small one, as most objects are, is read before the answer begins: git may pack it meanwhile
 * and remove its file, and an answer that breaks off ends a clone, while one that says that it is not there does not.
 */
const storedFile = async (path: string): Promise<ServedFile | undefined> => {
  try {
    const { size } = await fs.promises.stat(path)
    if (size > piece) return { size, bytes: Stream.fromAsyncIterable(reading(path), (error) => error) }
    const bytes = await fs.promises.readFile(path)
    return { size: bytes.length, bytes: Stream.make(bytes) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const stored = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(pack|idx))$/

const packsIn = (gitdir: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(`${gitdir}/objects/pack`).filter((name) => /^pack-[0-9a-f]{40}\.pack$/.test(name))
  } catch {
    return []
  }
}

/** Serves repositories to git's own clients: file by file, and by native git where there is one. */
export const layer = ({ directory, git }: Options): Layer.Layer<GitTransport> =>
  Layer.effect(
    GitTransport,
    Effect.gen(function* () {
      const permits = new Permits(atOnce, ofOneTenant)
      const gitdirOf = (repository: string) => repositoryPath(directory, repository)

      const serving = (
        git: NativeGit,
        tenant: string,
        repository: string,
        version: string | undefined,
        args: ReadonlyArray<string>,
        input: Uint8Array
      ) => {
        const gitdir = gitdirOf(repository)
        const command = ["upload-pack", "--strict", `--timeout=${patience}`, "--stateless-rpc", ...args, gitdir]
        return Stream.unwrap(
          Effect.map(Effect.timeout(permits.take(tenant), queued), (permit) =>
            through(() => start(git, gitdir, version, command, permit), input)
          )
        )
      }

      return GitTransport.of({
        smart:
          git === undefined
            ? undefined
            : {
                advertise: (tenant, repository, version) => {
                  const nothing = new Uint8Array()
                  const said = serving(git, tenant, repository, version, ["--http-backend-info-refs"], nothing)
                  // version 2 of the protocol has no headline
                  return version?.includes("version=2") ? said : Stream.concat(Stream.make(headline), said)
                },
                uploadPack: (tenant, repository, version, request) =>
                  serving(git, tenant, repository, version, [], request)
              },
        file: (repository, path) =>
          onDisk(gitdirOf(repository), async () => {
            const gitdir = gitdirOf(repository)
            mustBeThere(gitdir)
            if (path === "HEAD") return textFile(`ref: ${main}\n`)
            if (path === "info/refs") {
              const commit = refOf(gitdir)
              return textFile(commit === undefined ? "" : `${commit}\t${main}\n`)
            }
            if (path === "objects/info/packs") {
              return textFile(
                `${packsIn(gitdir)
                  .map((name) => `P ${name}\n`)
                  .join("")}\n`
              )
            }
            return stored.test(path) ? storedFile(`${gitdir}/${path}`) : undefined
          })
      })
    })
  )
