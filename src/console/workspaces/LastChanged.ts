import type { Commit } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import type { Session } from "../session.ts"
import type { Place } from "./FileTree.ts"
import { saidIn } from "./message.ts"

const find = async ({ cairn }: Session, { id, at, path }: Place, signal: AbortSignal): Promise<Commit | null> => {
  const { commits } = await cairn.workspaces.commits(id, { path, at, limit: 1 }, { signal })
  return commits[0] ?? null
}

/** Who last changed a file, seen from a commit, and in which chat; nothing if that lies too far back for a request. */
export const LastChanged = ({ of }: { readonly of: Place }): Node | null => {
  const [loaded] = useLoaded(JSON.stringify(of), (open, signal) => find(open, of, signal))
  if (loaded.state !== "there" || loaded.value === null) return null
  const { sha, sessionId, author, committedAt, message } = loaded.value
  return html`<p class="note">Last changed <${Time} at=${committedAt} /> by <${Text} of=${author.name} />${sessionId !== null && html`, in <a href=${href("run", { id: sessionId })}>a chat</a>`}: <a href=${href("commit", { id: of.id, sha })}><${Text} of=${saidIn(message).title} /></a></p>`
}
