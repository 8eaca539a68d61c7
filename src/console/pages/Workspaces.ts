import { useEffect, useRef, useState } from "preact/hooks"
import type { Workspace } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { failure, session } from "../session.ts"
import { useTitle } from "../title.ts"

const atOnce = 100

const Row = ({ of }: { readonly of: Workspace }): Node => html`
  <li><a class="row" href=${href("workspace", { id: of.workspaceId })}>
    <span class="who"><${Text} of=${of.userId} /> <span class="quiet">in <${Text} of=${of.orgId} /></span></span>
    <span class="number"><b>${of.files.toLocaleString("en")}</b> ${of.files === 1 ? "file" : "files"}</span>
    <span class="number"><b>${of.commits.toLocaleString("en")}</b> ${of.commits === 1 ? "commit" : "commits"}</span>
    <span class="quiet"><${Time} at=${of.updatedAt} /></span>
  </a></li>`

/** Further pages behind a first one, one each time somebody asks. */
const useFurther = (first: string | null) => {
  const [rows, setRows] = useState<ReadonlyArray<Workspace>>([])
  const [cursor, setCursor] = useState(first)
  const [problem, setProblem] = useState("")
  useEffect(() => {
    setRows([])
    setCursor(first)
  }, [first])
  const more = async () => {
    try {
      const page = await session.value!.cairn.workspaces.list({ limit: atOnce, cursor: cursor! })
      setRows((before) => [...before, ...page.workspaces])
      setCursor(page.nextCursor)
      setProblem("")
    } catch (error) {
      setProblem(failure(error))
    }
  }
  return { rows, more: cursor === null ? undefined : more, problem }
}

const List = ({
  first,
  cursor
}: {
  readonly first: ReadonlyArray<Workspace>
  readonly cursor: string | null
}): Node => {
  const { rows, more, problem } = useFurther(cursor)
  const list = useRef<HTMLUListElement>(null)
  if (first.length === 0)
    return html`<${Empty} title="No workspace yet">
      <p>A workspace has the files of one organization's user, as a git history. The first chat of a pair makes it.</p><//>`
  return html`
    <ul class="rows workspaces" ref=${list}>${[...first, ...rows].map((one) => html`<${Row} key=${one.workspaceId} of=${one} />`)}</ul>
    ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
    ${more && html`<p class="note"><button type="button" onClick=${more}>Show more</button></p>`}`
}

/** All workspaces that the key sees, the one changed last first. */
export const Workspaces = (): Node => {
  useTitle("Workspaces")
  const loaded = useLoaded("workspaces", ({ cairn }, signal) => cairn.workspaces.list({ limit: atOnce }, { signal }))
  return html`<div class="page"><header class="title"><h1>Workspaces</h1></header>
    ${whenThere(loaded, ({ workspaces, nextCursor }) => html`<${List} first=${workspaces} cursor=${nextCursor} />`, 6)}</div>`
}
