import { useMemo } from "preact/hooks"
import type { Commit } from "../../../clients/typescript/src/index.ts"
import { Diff } from "../diff/Diff.ts"
import { filesIn } from "../diff/filesIn.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Button } from "../parts/Button.ts"
import { usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { go, href, route } from "../router.ts"
import { Choice } from "../workspaces/Choice.ts"
import { Head } from "../workspaces/Head.ts"

/** How many commits are offered at once. */
const atOnce = 100

const Differences = ({ of }: { readonly of: string }): Node => {
  const files = useMemo(() => filesIn(of), [of])
  return html`<${Diff} files=${files} />`
}

/** What differs between two commits of a workspace, in either order. */
export const Compare = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  const [base, at] = [query.get("base") ?? "", query.get("at") ?? ""]
  const offered = usePages<Commit>(id, async ({ cairn }, before, signal) => {
    const { commits, nextBefore } = await cairn.workspaces.commits(id, { limit: atOnce, before }, { signal })
    return { rows: commits, next: nextBefore }
  })
  const [listed] = offered.first
  const compared = useLoaded(base === "" ? undefined : JSON.stringify([id, base, at]), ({ cairn }, signal) =>
    cairn.workspaces.compare(id, { base, at: at === "" ? undefined : at }, { signal })
  )
  // a key that is held down in a list passes many choices: only the first is a step in the tab's history
  const to = (part: { readonly base?: string; readonly at?: string }) =>
    go(href("compare", { id }, { base, at, ...part }), base !== "")
  return html`<div class="page"><${Head} id=${id} called="Compare" isMissing=${listed.state === "failed" && listed.why === "missing"} />
    <form class="filters" onSubmit=${(event: Event) => event.preventDefault()}>
      <${Choice} label="From" none="choose a commit" value=${base} of=${offered.rows} choose=${(sha: string) => to({ base: sha })} />
      <${Choice} label="to" none="the latest" value=${at} of=${offered.rows} choose=${(sha: string) => to({ at: sha })} />
      ${offered.more && html`<${Button} type="button" class="small" busy=${offered.isBusy} onClick=${offered.more}>Show earlier<//>`}
      ${offered.problem && html`<span class="problem" role="alert"><${Text} of=${offered.problem} /></span>`}
    </form>
    ${base === "" ? html`<p class="note">Choose a commit to see what changed since, or up to another commit.</p>` : whenThere(compared, ({ diff }) => html`<${Differences} of=${diff} />`, 8)}</div>`
}
