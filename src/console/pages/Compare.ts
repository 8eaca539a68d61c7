import { useMemo } from "preact/hooks"
import type { Commit } from "../../../clients/typescript/src/index.ts"
import { Diff } from "../diff/Diff.ts"
import { parseDiff } from "../diff/parse.ts"
import { withRenames } from "../diff/renamed.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"
import { bearable, plain } from "../visible.ts"
import { Head } from "../workspaces/Head.ts"
import { saidIn } from "../workspaces/message.ts"

/** Commits that can be chosen; of earlier ones each has an address. */
const most = 100

const Choice = ({
  label,
  none,
  value,
  of,
  choose
}: {
  readonly label: string
  readonly none: string
  readonly value: string
  readonly of: ReadonlyArray<Commit>
  readonly choose: (sha: string) => void
}): Node => html`<label>${label} <select value=${value} onChange=${(event: Event) => choose(valueOf(event))}>
    <option value="">${none}</option>
    ${value !== "" && !of.some(({ sha }) => sha === value) && html`<option value=${value}>${value.slice(0, 12)}</option>`}
    ${of.map(({ sha, message }) => html`<option key=${sha} value=${sha}>${sha.slice(0, 8)} ${plain(saidIn(message).title.slice(0, 60))}</option>`)}</select></label>`

const Differences = ({ of }: { readonly of: string }): Node => {
  const files = useMemo(() => withRenames(parseDiff(bearable(of))), [of])
  return html`<${Diff} files=${files} />`
}

/** What differs between two commits of a workspace, whichever came first. */
export const Compare = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  const [base, at] = [query.get("base") ?? "", query.get("at") ?? ""]
  const [listed] = useLoaded(id, ({ cairn }, signal) => cairn.workspaces.commits(id, { limit: most }, { signal }))
  const compared = useLoaded(base === "" ? undefined : JSON.stringify([id, base, at]), ({ cairn }, signal) =>
    cairn.workspaces.compare(id, { base, at: at === "" ? undefined : at }, { signal })
  )
  const commits = listed.state === "there" ? listed.value.commits : []
  // a key held down in a list of choices passes by each of them: only the first is a step of its own
  const to = (part: { readonly base?: string; readonly at?: string }) =>
    go(href("compare", { id }, { base, at, ...part }), base !== "")
  return html`<div class="page"><${Head} id=${id} called="Compare" isMissing=${listed.state === "failed" && listed.why === "missing"} />
    <form class="filters" onSubmit=${(event: Event) => event.preventDefault()}>
      <${Choice} label="From" none="choose a commit" value=${base} of=${commits} choose=${(sha: string) => to({ base: sha })} />
      <${Choice} label="to" none="the latest" value=${at} of=${commits} choose=${(sha: string) => to({ at: sha })} />
    </form>
    ${base === "" ? html`<p class="note">Choose a commit to see what has changed since, or up to another one.</p>` : whenThere(compared, ({ diff }) => html`<${Differences} of=${diff} />`, 8)}</div>`
}
