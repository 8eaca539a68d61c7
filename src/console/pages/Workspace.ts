import { useEffect, useState } from "preact/hooks"
import type { Commit } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { failure, session } from "../session.ts"
import { useTitle } from "../title.ts"
import { Head } from "../workspaces/Head.ts"
import { saidIn } from "../workspaces/message.ts"

const atOnce = 50
const dayOf = new Intl.DateTimeFormat("en", { dateStyle: "full" })

const changesOf = ({ changes }: Commit): string => {
  const counts = (["created", "modified", "deleted"] as const)
    .map((status) => [changes.filter((one) => one.status === status).length, status] as const)
    .filter(([count]) => count > 0)
  if (counts.length === 0) return "no files"
  return counts.map(([count, status]) => `${count.toLocaleString("en")} ${status}`).join(", ")
}

const Row = ({ of, id }: { readonly of: Commit; readonly id: string }): Node => html`
  <li><a class="row" href=${href("commit", { id, sha: of.sha })}>
    <span class="who"><${Text} of=${saidIn(of.message).title} /></span>
    <span class="quiet">${changesOf(of)}</span>
    <span class="quiet"><${Text} of=${of.author.name} />${of.sessionId === null ? "" : ", by chat"}</span>
    <code class="sha">${of.sha.slice(0, 8)}</code>
    <span class="quiet"><${Time} at=${of.committedAt} /></span>
  </a></li>`

const byDay = (commits: ReadonlyArray<Commit>): ReadonlyArray<readonly [string, ReadonlyArray<Commit>]> => {
  const days = new Map<string, Array<Commit>>()
  for (const commit of commits) {
    const day = dayOf.format(Date.parse(commit.committedAt))
    days.set(day, [...(days.get(day) ?? []), commit])
  }
  return [...days]
}

const History = ({ id, first }: { readonly id: string; readonly first: ReadonlyArray<Commit> }): Node => {
  const [further, setFurther] = useState<ReadonlyArray<Commit>>([])
  const [problem, setProblem] = useState("")
  useEffect(() => setFurther([]), [first])
  const commits = [...first, ...further]
  const last = commits.at(-1)
  const more = async () => {
    try {
      const page = await session.value!.cairn.workspaces.commits(id, { limit: atOnce, before: last!.sha })
      setFurther((before) => [...before, ...page.commits])
    } catch (error) {
      setProblem(failure(error))
    }
  }
  return html`
    ${byDay(commits).map(
      ([day, of]) => html`<section class="day" key=${day}><h2>${day}</h2>
      <ul class="rows commits">${of.map((one) => html`<${Row} key=${one.sha} of=${one} id=${id} />`)}</ul></section>`
    )}
    ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
    ${last !== undefined && last.parents.length > 0 && html`<p class="note"><button type="button" onClick=${more}>Show earlier ones</button></p>`}`
}

/** A workspace: its commits by day, the newest first. */
export const WorkspacePage = (): Node => {
  const id = route.value.parameters["id"]!
  useTitle("Workspace")
  const loaded = useLoaded(id, ({ cairn }, signal) => cairn.workspaces.commits(id, { limit: atOnce }, { signal }))
  return html`<div class="page"><${Head} id=${id} />
    ${whenThere(loaded, ({ commits }) => html`<${History} id=${id} first=${commits} />`, 8)}</div>`
}
