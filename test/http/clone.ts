import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { findGit } from "#infra/git/native/git.ts"
import { fsck } from "#test/infra/git/git.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { ownerKey, type Service } from "#test/service.ts"
import { ended, scripts, service } from "./agent.ts"

const program = findGit()?.program ?? "git"
/** Where clones go, of the file that runs. */
export let folder: string

/** For each file that clones: files share this module, and hooks belong to the one that registers them. */
export const makesClones = (): void => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cairn-clone-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
}

/** Runs git as a user would; not synchronously, because the service is in this process. */
export const run = (environment: { readonly [name: string]: string }, args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
    const child = spawn(program, [...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: devNull,
        GIT_TERMINAL_PROMPT: "0",
        ...environment
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk) => {
      out += chunk
    })
    child.stderr.on("data", (chunk) => {
      err += chunk
    })
    child.once("close", (code) => resolve({ code, out, err }))
  })
export const git = (...args: ReadonlyArray<string>) => run({}, args)

export const good = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await git(...args)
  assert.strictEqual(code, 0, err)
  return out.trim()
}

export const urlOf = (id: string, key = ownerKey, { url }: Pick<Service, "url"> = service) =>
  `${url.replace("//", `//anyone:${key}@`)}/git/${id}.git`

let clones = 0
export const place = () => join(folder, `clone-${++clones}`)

/** A chat that writes files. */
export const wrote = (user: string, files: { readonly [path: string]: string }, on: Service = service) => {
  const prompt = `${user}: ${JSON.stringify(files).slice(0, 500)}`
  scripts.set(prompt, (turn) =>
    turn === 1
      ? calls(
          ...Object.entries(files).map(([file_path, content]) => ({ name: "Write", input: { file_path, content } }))
        )
      : says("ok")
  )
  return ended(on.call, prompt, user)
}

/** Text that does not compress. */
export const noise = (length: number, seed: number) => {
  let [state, text] = [seed, ""]
  while (text.length < length) {
    state = (state * 48271) % 2147483647
    text += state.toString(36)
  }
  return text.slice(0, length)
}

export const clonesAndFetches = (name: string, started: () => Service) => {
  it(`clones, and fetches what comes later (${name})`, async () => {
    const first = await wrote("clone", { "a.txt": "one\n", "dir/ü b.txt": "two\n" }, started())
    const url = urlOf(first.workspace_id, ownerKey, started())
    const clone = place()
    await good("clone", "-q", url, clone)
    assert.strictEqual(readFileSync(join(clone, "dir/ü b.txt"), "utf8"), "two\n")
    assert.strictEqual(await good("-C", clone, "rev-parse", "HEAD"), first.commit)
    assert.strictEqual(await good("-C", clone, "branch", "--show-current"), "main")
    assert.strictEqual(fsck(clone), "")

    const second = await wrote("clone", { "a.txt": "three\n", "big.txt": noise(300_000, 7) }, started())
    const third = await wrote("clone", { "a.txt": "four\n" }, started())
    await good("-C", clone, "pull", "-q", "--ff-only")
    assert.strictEqual(
      await good("-C", clone, "log", "--format=%H"),
      [third, second, first].map(({ commit }) => commit).join("\n")
    )
    assert.strictEqual(readFileSync(join(clone, "big.txt"), "utf8").length, 300_000)
    assert.strictEqual(fsck(clone), "")
    assert.strictEqual(await good("-C", clone, "status", "--porcelain"), "")
    // nothing new
    await good("-C", clone, "fetch", "-q")
  })
}
