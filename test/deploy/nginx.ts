import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "#test/freePort.ts"

const files = fileURLToPath(new URL("../../deploy/nginx/", import.meta.url))

/** Debian's, which is on nobody's path but root's. */
export const nginx = "/usr/sbin/nginx"
export const hasNginx = existsSync(nginx)

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const answers = async (url: string): Promise<boolean> => {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}

/** What is changed of the files in `deploy/nginx`, and nothing else is. */
export interface Changes {
  /** Ports of the services on this machine. */
  readonly services: ReadonlyArray<number>
  /** Further changes, of any of the files. */
  readonly edit?: (file: string, text: string) => string
  /** Files beside them. */
  readonly more?: { readonly [name: string]: string }
}

/** Writes a folder that nginx runs from: the very files of `deploy/nginx`, with ports and folders of this test. */
export const writeNginx = (port: number, { services, edit = (_, text) => text, more = {} }: Changes): string => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-nginx-"))
  const change = (file: string, how: (text: string) => string) =>
    writeFileSync(join(folder, file), edit(file, how(readFileSync(join(files, file), "utf8"))))
  change("nginx.conf", (text) =>
    text
      .replaceAll("/tmp/", `${folder}/`)
      .replace("listen 8000", `listen 127.0.0.1:${port}`)
      .replace("/dev/stdout", "off")
  )
  change("upstream.conf", (text) => {
    const [line = ""] = /^ *server .+\n/m.exec(text) ?? []
    const lines = services.map((service) => line.replace(/server \S+/, `server 127.0.0.1:${service}`))
    return text.replace(/(?:^ *server .+\n)+/m, lines.join(""))
  })
  for (const file of ["cairn.conf", "tls.conf"]) change(file, (text) => text)
  for (const [name, path] of Object.entries(more)) copyFileSync(path, join(folder, name))
  return folder
}

/** nginx with the files of `deploy/nginx`, before services of this machine, on a free port of it. */
export const startNginx = async (changes: Changes) => {
  const port = await freePort()
  const folder = writeNginx(port, changes)
  // started by root, its workers would be nobody's, who has no way into the folder
  const account = process.getuid?.() === 0 ? "user root;" : ""
  const child = spawn(nginx, ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", `daemon off; ${account}`], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const ended = once(child, "close")
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(`${url}/health`))) {
    if (child.exitCode !== null) {
      await ended
      throw new Error(`nginx ended, and had said:\n${said}`)
    }
    await pause(20)
  }
  return {
    url,
    port,
    folder,
    /** What it logged of errors. */
    said: () => said,
    close: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
