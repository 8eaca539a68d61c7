import { posix } from "node:path"
import type { BufferEncoding, CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash"
import type { EntryKind } from "#ports/WorkspaceStore.ts"
import { mountPoint, type Operations } from "./protocol.ts"

type ReadFileOptions = NonNullable<Exclude<Parameters<IFileSystem["readFile"]>[1], string>>
type WriteFileOptions = NonNullable<Exclude<Parameters<IFileSystem["writeFile"]>[2], string>>

/** The operations as the child has them: each is a message and its answer. */
export type RemoteOperations = {
  readonly [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<ReturnType<Operations[Name]>>
}

const modes: { readonly [kind in EntryKind]: number } = {
  file: 0o644,
  executable: 0o755,
  directory: 0o755,
  symlink: 0o777
}

const encodingOf = (options: ReadFileOptions | WriteFileOptions | BufferEncoding | undefined) =>
  (typeof options === "string" ? options : options?.encoding) ?? "utf8"

const bytesOf = (content: FileContent, options: WriteFileOptions | BufferEncoding | undefined): Uint8Array =>
  typeof content === "string" ? new Uint8Array(Buffer.from(content, encodingOf(options))) : new Uint8Array(content)

/**
 * The run's Overlay as just-bash's file system, inside the child. The Overlay has no times: a path touched here keeps
 * its time until the child ends, all others have the time at which the child began.
 */
export class RemoteFs implements IFileSystem {
  readonly #remote: RemoteOperations
  readonly #began = new Date()
  readonly #touched = new Map<string, Date>()

  constructor(remote: RemoteOperations) {
    this.#remote = remote
  }

  async readFile(path: string, options?: ReadFileOptions | BufferEncoding): Promise<string> {
    return Buffer.from(await this.readFileBuffer(path)).toString(encodingOf(options))
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#remote.readFile(path)
  }

  async writeFile(path: string, content: FileContent, options?: WriteFileOptions | BufferEncoding): Promise<void> {
    await this.#remote.writeFile(path, bytesOf(content, options))
    this.#touched.set(path, new Date())
  }

  async appendFile(path: string, content: FileContent, options?: WriteFileOptions | BufferEncoding): Promise<void> {
    await this.#remote.appendFile(path, bytesOf(content, options))
    this.#touched.set(path, new Date())
  }

  /** True also for what can't be used (a link that leads out): then only a redirection to it fails, not the script. */
  exists(path: string): Promise<boolean> {
    return this.#remote.stat(path).then(
      () => true,
      ({ code }: { readonly code?: string }) => code !== "ENOENT" && code !== "ENOTDIR"
    )
  }

  async stat(path: string): Promise<FsStat> {
    return this.#statOf(path, await this.#remote.stat(path))
  }

  async lstat(path: string): Promise<FsStat> {
    return this.#statOf(path, await this.#remote.lstat(path))
  }

  #statOf(path: string, { kind, size }: { readonly kind: EntryKind; readonly size: number }): FsStat {
    return {
      isFile: kind === "file" || kind === "executable",
      isDirectory: kind === "directory",
      isSymbolicLink: kind === "symlink",
      mode: modes[kind],
      size,
      mtime: this.#touched.get(path) ?? this.#began
    }
  }

  async mkdir(path: string, options: MkdirOptions = {}): Promise<void> {
    await this.#remote.mkdir(path, options.recursive === true)
  }

  async readdir(path: string): Promise<Array<string>> {
    return (await this.#remote.readdir(path)).map(({ name }) => name)
  }

  /** One message for a directory, where `readdir` needs one more for each of its entries. */
  async readdirWithFileTypes(path: string) {
    return (await this.#remote.readdir(path)).map(({ name, kind }) => ({
      name,
      isFile: kind === "file" || kind === "executable",
      isDirectory: kind === "directory",
      isSymbolicLink: kind === "symlink"
    }))
  }

  async rm(path: string, options: RmOptions = {}): Promise<void> {
    await this.#remote.remove(path, options.recursive === true, options.force === true)
  }

  async cp(source: string, target: string, options: CpOptions = {}): Promise<void> {
    const { kind } = await this.#remote.lstat(source)
    if (kind === "symlink") return this.#remote.symlink(await this.#remote.readlink(source), target)
    if (kind !== "directory") {
      await this.writeFile(target, await this.#remote.readFile(source))
      return this.#remote.chmod(target, kind === "executable")
    }
    if (options.recursive !== true) throw new Error(`EISDIR: is a directory, cp '${source}'`)
    await this.#remote.mkdir(target, true)
    for (const { name } of await this.#remote.readdir(source)) {
      await this.cp(posix.join(source, name), posix.join(target, name), options)
    }
  }

  async mv(source: string, target: string): Promise<void> {
    await this.#remote.rename(source, target)
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve(base, path)
  }

  /** Optional: no command of just-bash asks for it. */
  getAllPaths(): Array<string> {
    return []
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#remote.chmod(path, (mode & 0o100) !== 0)
  }

  /** A target inside the workspace is kept relative, so that the link holds wherever the workspace is put. */
  async symlink(target: string, path: string): Promise<void> {
    const inside = target === mountPoint || target.startsWith(`${mountPoint}/`)
    const kept = inside ? posix.relative(posix.dirname(`${mountPoint}${path}`), target) || "." : target
    await this.#remote.symlink(kept, path)
  }

  /** Makes a copy: a workspace has no hard links. */
  async link(existing: string, path: string): Promise<void> {
    if (await this.exists(path)) throw new Error(`EEXIST: file already exists, link '${existing}' -> '${path}'`)
    await this.writeFile(path, await this.#remote.readFile(existing))
  }

  readlink(path: string): Promise<string> {
    return this.#remote.readlink(path)
  }

  async realpath(path: string): Promise<string> {
    await this.#remote.stat(path)
    let real = "/"
    const rest = path.split("/").reverse()
    while (rest.length > 0) {
      const next = posix.join(real, rest.pop()!)
      if (next !== "/" && (await this.#remote.lstat(next)).kind === "symlink") {
        rest.push(...(await this.#remote.readlink(next)).split("/").reverse())
      } else real = next
    }
    return real
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    await this.#remote.stat(path)
    this.#touched.set(path, modified)
  }
}
