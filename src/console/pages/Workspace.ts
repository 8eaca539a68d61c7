import type { Commit, RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { Groups } from "../parts/Groups.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { committing } from "../workspaces/changing.ts"
import { countsOf } from "../workspaces/counts.ts"
import { Head } from "../workspaces/Head.ts"
import { saidIn } from "../workspaces/message.ts"

const atOnce = 50
const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "full" })

const Row = ({ of, id }: { readonly of: Commit; readonly id: string }): Node => html`
  <li><a class="row" href=${href("commit", { id, sha: of.sha })}>
    <span class="who"><${Text} of=${saidIn(of.message).title} /></span>
    <span class="quiet">${countsOf(of.changes)}</span>
    <span class="quiet"><${Text} of=${of.author.name} />${of.sessionId === null ? "" : ", by chat"}</span>
    <code class="sha">${of.sha.slice(0, 8)}</code>
    <span class="quiet"><${Time} at=${of.committedAt} /></span>
  </a></li>`

/**
 * A commit and the day under which it is listed. The day is kept, as finding it again would take longer with each page.
 */
interface OfDay {
  readonly commit: Commit
  readonly day: string
}

const ofDay = (commit: Commit): OfDay => ({ commit, day: dayOf.format(Date.parse(commit.committedAt)) })

/** A workspace's commits by day, the newest first. */
export const WorkspacePage = (): Node => {
  const id = route.value.parameters["id"]!
  const list = usePages<OfDay>(id, async ({ cairn }, before, signal) => {
    const { commits, nextBefore } = await cairn.workspaces.commits(id, { limit: atOnce, before }, { signal })
    return { rows: commits.map(ofDay), next: nextBefore }
  })
  const { first, rows } = list
  return html`<div class="page"><${Head} id=${id} called="History" isMissing=${first[0].state === "failed" && first[0].why === "missing"} />
    <${Renewed} by=${({ type, stream }: RecordedEvent) => committing.includes(type) && stream === `workspace-${id}`} list=${list} />
    ${whenThere(
      first,
      () => html`${[...Map.groupBy(rows, ({ day }) => day)].map(
        ([day, of]) => html`<section class="day" key=${day}><h2>${day}</h2>
          <${Groups} of=${of} by=${[id]} kind="commits" label=${day} show=${({ commit }: OfDay) => html`<${Row} key=${commit.sha} of=${commit} id=${id} />`} /></section>`
      )}
        <${More} of=${list} label="Show earlier" />`,
      8
    )}</div>`
}
