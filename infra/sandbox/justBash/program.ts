import { Bash, type CommandName, getCommandNames, InMemoryFs, MountableFs } from "just-bash"
import { converseWithService } from "../../confined/inside.ts"
import { executionLimits } from "./limits.ts"
import { type Call, type CallFailed, type FromChild, mountPoint, type Operations, type ToChild } from "./protocol.ts"
import { RemoteFs, type RemoteOperations } from "./RemoteFs.ts"
import { rm } from "./rm.ts"

/**
 * The program of a child process: runs the commands of one shell until its stdin ends. It can be killed at any time.
 */

const send: (message: FromChild) => void = converseWithService((message) => receive(message as ToChild))

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly call: Call
}
const waiting = new Map<number, Waiting>()
let calls = 0

const operation =
  <Name extends keyof Operations>(name: Name) =>
  (...args: Parameters<Operations[Name]>) =>
    new Promise<ReturnType<Operations[Name]>>((resolve, reject) => {
      const call = { name, args } as Call
      const id = ++calls
      waiting.set(id, { resolve, reject, call })
      send({ type: "call", id, call })
    })

const remote: RemoteOperations = {
  stat: operation("stat"),
  lstat: operation("lstat"),
  readFile: operation("readFile"),
  readlink: operation("readlink"),
  readdir: operation("readdir"),
  writeFile: operation("writeFile"),
  appendFile: operation("appendFile"),
  mkdir: operation("mkdir"),
  remove: operation("remove"),
  rename: operation("rename"),
  symlink: operation("symlink"),
  chmod: operation("chmod")
}

/** Commands tell kinds of failure by the code in the message, as Node's errors have it. */
const errorOf = ({ name, args }: Call, { code, message }: CallFailed) =>
  Object.assign(new Error(`${code}: ${message}, ${name} '${args[0]}'`), { code })

const workspace = new RemoteFs(remote)

/** Lists directories of the workspace with their kinds, which the class itself does not pass on. */
class Files extends MountableFs {
  readonly #memory: InMemoryFs

  constructor(memory: InMemoryFs) {
    super({ base: memory, mounts: [{ mountPoint, filesystem: workspace }] })
    this.#memory = memory
  }

  readdirWithFileTypes(path: string) {
    const full = this.resolvePath("/", path)
    if (full === mountPoint) return workspace.readdirWithFileTypes("/")
    if (full.startsWith(`${mountPoint}/`)) return workspace.readdirWithFileTypes(full.slice(mountPoint.length))
    return this.#memory.readdirWithFileTypes(full)
  }
}

const memory = new InMemoryFs({}, { maxTotalBytes: executionLimits.maxFileSystemBytes! })
const names = getCommandNames() as Array<CommandName>

const bash = new Bash({
  fs: new Files(memory),
  cwd: mountPoint,
  env: { HOME: "/home/agent", PATH: "/usr/bin:/bin", PWD: mountPoint, USER: "agent" },
  // sqlite3 starts a Worker of its own, which has no limits.
  commands: names.filter((name) => name !== "sqlite3"),
  customCommands: [rm],
  python: false,
  javascript: false,
  executionLimits
})
// The mount point must be listed in `/`.
const ready = Promise.all(
  [mountPoint, "/tmp", "/home/agent"].map((directory) => memory.mkdir(directory, { recursive: true }))
)

/**
 * What the library says of a command that we leave out: words for those who build with it, not for those who run it.
 */
const leftOut =
  /: command not available in browser environments\. Exclude '[^'\n]{1,64}' from your commands or use the Node\.js bundle\./g
const inOurWords = (text: string) => text.replace(leftOut, ": command not found: this shell has no such program")

/** At most `limit` bytes, and how many were left out. */
const cut = (text: string, limit: number) => {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  const kept = bytes
    .subarray(0, limit)
    .toString()
    .replace(/\uFFFD$/, "")
  return `${kept}\n[${bytes.length - limit} of ${bytes.length} bytes were cut]\n`
}

const run = async (command: string, output: number) => {
  try {
    await ready
    const { stdout, stderr, exitCode } = await bash.exec(command)
    send({
      type: "done",
      stdout: cut(inOurWords(stdout), output),
      stderr: cut(inOurWords(stderr), output),
      exit: exitCode
    })
  } catch (error) {
    // A redirection whose write the Overlay refuses ends the whole script.
    const text = error instanceof Error ? error.message : String(error)
    send({ type: "done", stdout: "", stderr: cut(`bash: ${text}\n`, output), exit: 1 })
  }
}

const receive = (message: ToChild) => {
  if (message.type === "run") return void run(message.command, message.output)
  const { id, answer } = message
  const call = waiting.get(id)
  waiting.delete(id)
  // JSON leaves out a `value` that is undefined.
  if ("failure" in answer) call?.reject(errorOf(call.call, answer.failure))
  else call?.resolve(answer.value as never)
}
