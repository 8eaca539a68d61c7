import type { Commit } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import type { Session } from "../session.ts"
import type { Place } from "./FileTree.ts"
import { saidIn } from "./message.ts"

/** Commits that are looked through, and of them at once. */
const [most, atOnce] = [500, 100]

const find = async ({ cairn }: Session, { id, at, path }: Place, signal: AbortSignal): Promise<Commit | null> => {
  let isBehind = at !== undefined
  let before: string | undefined
  for (let seen = 0; seen < most; seen += atOnce) {
    const { commits } = await cairn.workspaces.commits(id, { limit: atOnce, before }, { signal })
    for (const commit of commits) {
      if (commit.sha === at) isBehind = false
      if (!isBehind && commit.changes.some((change) => change.path === path)) return commit
    }
    const last = commits.at(-1)
    // a page may end early: of commits that changed a great many files there are few on one
    if (last === undefined || last.parents.length === 0) break
    before = last.sha
  }
  return null
}

/** Who changed a file last, as it is at a commit, and in which chat; nothing where that was long before. */
export const LastChanged = ({ of }: { readonly of: Place }): Node | null => {
  const [loaded] = useLoaded(JSON.stringify(of), (open, signal) => find(open, of, signal))
  if (loaded.state !== "there" || loaded.value === null) return null
  const { sha, sessionId, author, committedAt, message } = loaded.value
  return html`<p class="note">Last changed <${Time} at=${committedAt} /> by <${Text} of=${author.name} />${sessionId !== null && html`, in <a href=${href("run", { id: sessionId })}>a chat</a>`}: <a href=${href("commit", { id: of.id, sha })}><${Text} of=${saidIn(message).title} /></a></p>`
}
