import type { Workspace, WorkspaceActor } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { Groups } from "../parts/Groups.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { useTitle } from "../title.ts"
import { bytesIn } from "../workspaces/bytes.ts"
import { changing } from "../workspaces/changing.ts"

const atOnce = 100
/** Milliseconds between looks: much happens in many workspaces, and each look reads all of them. */
const pause = 3_000

/** The bytes of all that was ever put into it, which its history keeps. The bound of stored bytes counts them. */
const Size = ({ of }: { readonly of: number | null }): Node =>
  of === null
    ? html`<span class="number quiet" title="Some commits are older than the count">size unknown</span>`
    : html`<span class="number" title="Everything its commits added, including files deleted since: the history keeps them"><b>${bytesIn(of)}</b> <span class="quiet">with history</span></span>`

/** Who made the last commit; nothing if the service does not say it. */
const By = ({ of }: { readonly of: WorkspaceActor | null }): Node => {
  if (of === null) return html`<span class="by" />`
  if (of.email === null) return html`<span class="by quiet">by the service</span>`
  if (of.email === "external") return html`<span class="by quiet">by somebody in another organization</span>`
  const name = of.email === "erased" ? "an erased person" : html`<${Text} of=${of.email} />`
  return html`<span class="by quiet" title=${`key ${of.keyId}`}>by ${name}</span>`
}

const Row = ({ of }: { readonly of: Workspace }): Node => html`
  <li><a class="row" href=${href("workspace", { id: of.workspaceId })}>
    <span class="who"><${Text} of=${of.userId} /> <span class="quiet">in <${Text} of=${of.orgId} /></span></span>
    <span class="number"><b>${of.files.toLocaleString("en")}</b> ${of.files === 1 ? "file" : "files"}</span>
    <${Size} of=${of.repositoryBytes} />
    <span class="number"><b>${of.commits.toLocaleString("en")}</b> ${of.commits === 1 ? "commit" : "commits"}</span>
    <${By} of=${of.updatedBy} />
    <span class="quiet"><${Time} at=${of.updatedAt} /></span>
  </a></li>`

/** All workspaces that the key may see, the one changed last first. */
export const Workspaces = (): Node => {
  useTitle("Workspaces")
  const list = usePages<Workspace>("workspaces", async ({ cairn }, cursor, signal) => {
    const { workspaces, nextCursor } = await cairn.workspaces.list({ limit: atOnce, cursor }, { signal })
    return { rows: workspaces, next: nextCursor }
  })
  const { first, rows } = list
  return html`<div class="page"><header class="title"><h1>Workspaces</h1><${Renewed} by=${changing} list=${list} pause=${pause} /></header>
    ${whenThere(
      first,
      () =>
        rows.length === 0
          ? html`<${Empty} title="No workspaces yet">
              <p>A workspace holds the files of one user of an organization, as a git history. Their first chat creates it.</p><//>`
          : html`<${Groups} of=${rows} kind="workspaces" label="Workspaces" show=${(one: Workspace) => html`<${Row} key=${one.workspaceId} of=${one} />`} />
            <${More} of=${list} />`,
      6
    )}</div>`
}
