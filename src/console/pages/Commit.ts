import { useMemo } from "preact/hooks"
import type { CommitWithDiff } from "../../../clients/typescript/src/index.ts"
import { Diff } from "../diff/Diff.ts"
import { filesIn } from "../diff/filesIn.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Long } from "../parts/Long.ts"
import { wholePage } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { useTitle } from "../title.ts"
import { ByChat } from "../workspaces/ByChat.ts"
import { Head } from "../workspaces/Head.ts"
import { saidIn } from "../workspaces/message.ts"
import { Restore } from "../workspaces/Restore.ts"

const Sheet = ({ id, commit }: { readonly id: string; readonly commit: CommitWithDiff }): Node => {
  const { title, body } = saidIn(commit.message)
  const files = useMemo(() => filesIn(commit.diff), [commit])
  const [parent] = commit.parents
  return html`
    <${Head} id=${id} called=${title} title=${title} at=${commit.sha}><${Restore} id=${id} sha=${commit.sha} /><//>
    ${body !== "" && html`<p class="description"><${Long} of=${body} /></p>`}
    <dl class="facts-line">
      <div><dt>By</dt><dd><${Text} of=${commit.author.name} />${commit.sessionId !== null && html`, in <a href=${href("run", { id: commit.sessionId })}>a chat</a>`}</dd></div>
      <div><dt>When</dt><dd><${Time} at=${commit.committedAt} /></dd></div>
      <div><dt>Commit</dt><dd><code>${commit.sha.slice(0, 12)}</code></dd></div>
      <div><dt>Parent</dt><dd>${parent === undefined ? "none" : html`<a href=${href("commit", { id, sha: parent })}><code>${parent.slice(0, 12)}</code></a>`}</dd></div>
      <div><dt>Files</dt><dd><a href=${href("files", { id }, { at: commit.sha })}>at this commit</a></dd></div>
    </dl>
    ${commit.sessionId !== null && html`<${ByChat} run=${commit.sessionId} title=${title} />`}
    <${Diff} files=${files} />`
}

/** One commit: who made it, on which commit, and what it changed. */
export const CommitPage = (): Node => {
  const { id = "", sha = "" } = route.value.parameters
  useTitle("Commit")
  const loaded = useLoaded(`${id} ${sha}`, ({ cairn }, signal) => cairn.workspaces.commit(id, sha, { signal }))
  return html`<div class="page">${wholePage("Commit", loaded, (commit) => html`<${Sheet} id=${id} commit=${commit} />`, 10)}</div>`
}
