import { spawn } from "node:child_process"
import { oneLine } from "#domain/text/oneLine.ts"
import { Incoming } from "./Incoming.ts"
import { scratchSize, workspaceSize } from "./limits.ts"
import { endOfList, type Found, format, parseListing } from "./listing.ts"
import { type Tools, unprivileged } from "./tools.ts"
import { keeperWalls, scratch, workspace } from "./walls.ts"

/**
 * A shell's file systems in a mount namespace of their own, and the keeper that reads and writes the workspace there.
 */
export interface Mounts {
  /** A process that is in the namespace. */
  readonly pid: number
  /** Whether the keeper has ended, also after `kill`. */
  readonly isDead: () => boolean
  /** All that is in the workspace, even what a command took from itself the permission to see. */
  readonly list: () => Promise<ReadonlyArray<Found>>
  /** The bytes of files of these sizes. */
  readonly read: (files: ReadonlyArray<Found>) => Promise<ReadonlyArray<Uint8Array>>
  /** Folders with all that is in them. */
  readonly remove: (names: ReadonlyArray<string>) => Promise<void>
  /** Unpacks a tar archive, which replaces files and links. Folders above an entry must exist or come before it. */
  readonly put: (archive: Uint8Array) => Promise<void>
  /** Empties the workspace. */
  readonly clear: () => Promise<void>
  /** Ends the keeper. The file systems go when no command is in them any more. */
  readonly kill: () => Promise<void>
}

/** Makes the file systems, which lie in memory and so have exact limits, and becomes the keeper. */
const setUp = `set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
umask 022
mount -t tmpfs -o size=${scratchSize.bytes},nr_inodes=${scratchSize.inodes},mode=0755,nosuid,nodev cairn ${scratch}
cd ${scratch}
mkdir workspace etc home
mkdir -m 1777 tmp shm
mount -t tmpfs -o size=${workspaceSize.bytes},nr_inodes=${workspaceSize.inodes},mode=0755,nosuid,nodev cairn ${workspace}
echo 'agent:x:1000:1000::/home/agent:/bin/bash' > etc/passwd
echo 'agent:x:1000:' > etc/group
echo '127.0.0.1 localhost cairn' > etc/hosts
echo 'hosts: files' > etc/nsswitch.conf
setpriv=$1
shift
exec "$setpriv" --ambient-caps=-all --inh-caps=-all "$@"`

/** One level deeper than a workspace may be, so that what lies too deep is seen and refused. */
const deepest = 129

/**
 * Runs behind the same walls as commands, in a process namespace that no command can see, and only while none runs.
 * What it reads back are names and bytes that a command made: nothing here interprets them.
 */
const keeper = `umask 022
export LC_ALL=C
removed() {
  xargs -0 -r sh -c 'rm -rf -- "$@" 2> /dev/null || { chmod -R u+rwx -- "$@"; rm -rf -- "$@"; }' sh
}
printf 'ready\\0'
while read -r verb size; do
  case $verb in
    list)
      [ -r /workspace ] && [ -w /workspace ] && [ -x /workspace ] || chmod u+rwx /workspace
      printf '\\0'
      find . -maxdepth ${deepest} \\
        \\( -type d ! -perm -700 -exec chmod u+rwx {} \\; \\) , \\( -type f ! -perm -400 -exec chmod u+r {} \\; \\) , \\
        -printf '${format}' || exit 1
      printf '.\\0' ;;
    read) head -c "$size" | xargs -0 -r cat -- ;;
    remove) head -c "$size" | removed && printf 'done\\0' || exit 1 ;;
    put) head -c "$size" | tar -x -P -f - && printf 'done\\0' || exit 1 ;;
    clear) find . -mindepth 1 -maxdepth 1 -print0 | removed && printf 'done\\0' || exit 1 ;;
  esac
done`

/** Milliseconds for one request to the keeper, which takes far less, whatever a command has left. */
const patience = 120_000
const mostListed = 128 * 1024 * 1024
const bytesOf = (names: ReadonlyArray<string>) => Buffer.from(names.map((name) => `./${name}\0`).join(""), "latin1")

/**
 * Makes the file systems and starts the keeper. Rejects with what the programs said, or with the system's error when it
 * has no process or no pipes left.
 */
export const startMounts = async (tools: Tools): Promise<Mounts> => {
  const [command, ...args] = [
    ...unprivileged(tools),
    ...[tools.unshare, "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private"],
    ...["/bin/sh", "-c", setUp, "sh", tools.setpriv],
    ...[tools.bwrap, ...keeperWalls(), "--", "/bin/bash", "--norc", "-c", keeper]
  ]
  const child = spawn(command!, args, { cwd: "/", env: {}, stdio: ["pipe", "pipe", "pipe"], detached: true })
  const failed = new Promise<Error>((resolve) => child.once("error", resolve))
  // a child that the system has no pipes for comes without them, and tells its error only later
  if (!child.stdin) throw await failed
  let dead = false
  let said = ""
  const input = child.stdin
  const output = new Incoming(child.stdout)
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000)
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()))
  const told = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()))
  void ended.then(() => {
    dead = true
    output.end()
  })
  input.on("error", () => {})

  /** A keeper whose pipes are closed ends by itself, and leaves no process behind for others to reap. */
  const kill = async () => {
    dead = true
    output.end()
    input.destroy()
    child.stdout.destroy()
    const late = setTimeout(() => child.kill("SIGKILL"), 1_000)
    await ended
    clearTimeout(late)
  }
  const send = (text: string, bytes?: Uint8Array) =>
    new Promise<void>((resolve) => {
      input.write(text, () => bytes === undefined && resolve())
      if (bytes !== undefined) input.write(bytes, () => resolve())
    })
  /** Asks the keeper for one thing. A keeper that fails is killed, and never asked again. */
  const asked = async <A>(verb: string, bytes: Uint8Array | undefined, answer: () => Promise<A>): Promise<A> => {
    const late = setTimeout(kill, patience)
    try {
      const sent = send(bytes === undefined ? `${verb} 0\n` : `${verb} ${bytes.length}\n`, bytes)
      const [answered] = await Promise.all([answer(), Promise.race([sent, ended])])
      return answered
    } catch (error) {
      await kill()
      throw error
    } finally {
      clearTimeout(late)
    }
  }
  const done = () => output.takeUntil("done\0", 5)

  try {
    await output.takeUntil("ready\0", 6)
  } catch {
    child.kill("SIGKILL")
    await told
    throw await Promise.race([failed, new Error(oneLine(said, "; ") || `${tools.bwrap} ended at once`)])
  }
  return {
    pid: child.pid!,
    isDead: () => dead,
    list: async () => {
      const text = await asked("list", undefined, () => output.takeUntil(endOfList, mostListed))
      return parseListing(text.slice(1))
    },
    read: (files) =>
      asked("read", bytesOf(files.map(({ name }) => name)), async () => {
        const contents: Array<Uint8Array> = []
        for (const { size } of files) contents.push(await output.take(size))
        return contents
      }),
    remove: async (names) => {
      if (names.length > 0) await asked("remove", bytesOf(names), done)
    },
    put: async (archive) => {
      await asked("put", archive, done)
    },
    clear: async () => {
      await asked("clear", undefined, done)
    },
    kill
  }
}
