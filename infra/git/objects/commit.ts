import { withoutEnd } from "#domain/text/withoutEnd.ts"
import type { Commit, CommitInfo, Sha } from "#ports/WorkspaceStore.ts"

const committer = "Cairn <cairn@localhost>"

// what ends a name or a line in a commit object, and what git itself strips from a name's ends
const forbidden = /[<>\p{Cc}\p{Zl}\p{Zp}]/gu
const crud = /^[\s.,:;"'\\]+/
const crudAtEnd =
  ".,:;\"'\\ \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

const cleanName = (name: string): string =>
  withoutEnd(name.toWellFormed().replace(forbidden, "").replace(crud, ""), crudAtEnd) || "unknown"
const cleanEmail = (email: string): string =>
  email.toWellFormed().replace(forbidden, "").replace(/\s/g, "") || "unknown@cairn"

/** A commit object's bytes: whole seconds, UTC. The same input gives the same bytes. */
export const formatCommit = ({ tree, parents, author, time, message }: CommitInfo): Uint8Array => {
  const stamp = `${Math.max(0, Math.floor(time / 1000))} +0000`
  const text = message.toWellFormed().replaceAll("\0", "")
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${cleanName(author.name)} <${cleanEmail(author.email)}> ${stamp}`,
    `committer ${committer} ${stamp}`,
    "",
    text.endsWith("\n") || text === "" ? text : `${text}\n`
  ]
  return Buffer.from(lines.join("\n"))
}

/** Reads a commit object; its time is the author's. */
export const parseCommit = (sha: Sha, content: Uint8Array): Commit => {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8")
  const end = text.indexOf("\n\n")
  const lines = (end < 0 ? text : text.slice(0, end)).split("\n")
  const value = (key: string): ReadonlyArray<string> =>
    lines.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []))
  const [, name = "", email = "", seconds = "0"] = /^([^<]*)<([^>]*)> (-?\d+)/.exec(value("author")[0] ?? "") ?? []
  return {
    sha,
    tree: value("tree")[0]!,
    parents: value("parent"),
    author: { name: name.replace(/ $/, ""), email },
    time: Number(seconds) * 1000,
    message: end < 0 ? "" : text.slice(end + 2)
  }
}
