import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import { layer } from "#infra/sandbox/bubblewrap/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"

const tried = await Effect.runPromiseExit(Effect.scoped(Effect.provide(Sandbox, layer)))

/** Whether this machine has it. CI must: there its tests run, and fail where it can't. */
export const isUsable = Exit.isSuccess(tried) || process.env["CI"] === "true"
export const languages = Exit.isSuccess(tried) ? tried.value.languages : []

type Body = Effect.Effect<void, unknown, Sandbox | Scope.Scope>

/** A group of tests that is skipped, in sight, where bubblewrap can't run. */
export const bubblewrap = (title: string, body: (test: (title: string, run: Body) => void) => void) =>
  describe.skipIf(!isUsable)(isUsable ? title : `${title} (skipped: bubblewrap can't run here)`, () =>
    body((name, run) => it.live(name, () => Effect.scoped(Effect.provide(run, layer)), 60_000))
  )

const processesWhose = (isMeant: (commandLine: string) => boolean): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return isMeant(readFileSync(`/proc/${pid}/cmdline`, "latin1"))
      } catch {
        return false
      }
    })
    .map(Number)

/** Numbers of host processes one of whose arguments holds a text. */
export const processesWith = (text: string): ReadonlyArray<number> => processesWhose((line) => line.includes(text))

/** Whether a host process is called so: those around a command that starts it have its name in their arguments only. */
export const isThere = (name: string): boolean => processesWhose((line) => line.startsWith(`${name}\0`)).length > 0

/** Whether a process was started by another one, or by one of those. */
export const isBelow = (pid: number, above: number): boolean => {
  try {
    const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1])
    return parent === above || (parent > 1 && isBelow(parent, above))
  } catch {
    return false
  }
}

/** Waits until something holds, however long that takes. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const secret = "a secret of the host"

export interface Host {
  /** Everyone may read and write here; `secret` is a file in it, `socket` a socket that everyone may use. */
  readonly folder: string
  readonly tcp: number
  readonly udp: number
  readonly abstractName: string
  /** Another address of this machine than the loopback's, where it has one. */
  readonly address: string
  /** Throws when a command has read, changed, reached or ended anything here. */
  readonly check: (said: string) => void
  readonly close: () => void
}

/** Things on this machine that no command may reach, all of them open to every user. */
export const startHost = async (): Promise<Host> => {
  // not under /tmp, which a shell's own files hide before any wall does
  const folder = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "cairn-host-"))
  writeFileSync(join(folder, "secret"), secret)
  chmodSync(folder, 0o777)
  chmodSync(join(folder, "secret"), 0o666)
  process.env["CAIRN_TEST_SECRET"] = secret

  const reached: Array<string> = []
  const listen = async (place: string | number, name: string) => {
    const server = createServer((socket) => {
      reached.push(name)
      socket.end(secret)
    })
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      if (typeof place === "number") server.listen(place, "0.0.0.0", resolve)
      else server.listen(place, resolve)
    })
    return server
  }
  const tcp = await listen(0, "tcp")
  const unix = await listen(join(folder, "socket"), "unix")
  chmodSync(join(folder, "socket"), 0o777)
  const udp = createSocket("udp4", () => reached.push("udp"))
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve))

  const abstractName = `cairn-test-${process.pid}`
  // Not every runtime can listen there, so another program does; and it is one that a signal to everyone would end.
  const listener = `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; bind($s, pack("S a*", AF_UNIX, "\\0${abstractName}")) or die; listen($s, 5) or die; $| = 1; print "ready\\n"; while (accept(my $c, $s)) { print "reached\\n"; close $c }`
  const as = process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {}
  const victim: ChildProcess = spawn("/usr/bin/perl", ["-e", listener], {
    ...as,
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"]
  })
  let said = ""
  victim.stdout!.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  await until(() => said.includes("ready") || victim.exitCode !== null)
  assert.isNull(victim.exitCode, "the listener of the abstract socket must run")

  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return {
    folder,
    tcp: (tcp.address() as AddressInfo).port,
    udp: udp.address().port,
    abstractName,
    address: addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.1",
    check: (output) => {
      assert.notInclude(output, secret)
      assert.deepStrictEqual(reached, [])
      assert.notInclude(said, "reached")
      assert.deepStrictEqual([victim.exitCode, victim.signalCode], [null, null])
      assert.sameMembers(readdirSync(folder), ["secret", "socket"])
      assert.strictEqual(readFileSync(join(folder, "secret"), "utf8"), secret)
    },
    close: () => {
      victim.kill("SIGKILL")
      tcp.close()
      unix.close()
      udp.close()
      delete process.env["CAIRN_TEST_SECRET"]
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
