import type { FileChange, TreeFile } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Folded } from "../parts/Folded.ts"
import { Long } from "../parts/Long.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { href } from "../router.ts"
import { countOf, fileAt, Tree } from "../workspaces/FileTree.ts"
import { type Heard, type Turn, type Written, writesOf } from "./follow.ts"

interface Of {
  readonly run: string
  readonly workspace: string
  readonly of: Heard
  readonly step: number
}

/** A file as Write left it. */
const WrittenFile = ({ of: { path, turn, content, isEdited } }: { readonly of: Written }): Node => {
  const summary = html`<b class="path"><${Text} of=${path} /></b>
    <span class="quiet">written in turn ${turn}${isEdited && ", edited since"}</span>`
  return html`<li><${Folded} summary=${summary}>${() => html`<${Long} of=${content} label=${`Content written to ${path}`} />`}<//></li>`
}

/** What the log still has of files whose trees are no longer kept. */
const LoggedWrites = ({ workspace, of, step, message }: Omit<Of, "run"> & { readonly message: string }): Node => {
  const written = writesOf(of.turns.slice(0, step))
  const commit = of.run?.answer?.commit ?? ""
  return html`<p class="note"><${Text} of=${message} /></p>
    <p class="note">${of.base !== undefined && html`<a href=${href("files", { id: workspace }, { at: of.base })}>The files it started with</a>. `}
      ${commit !== "" && html`<a href=${href("files", { id: workspace }, { at: commit })}>The files of its commit</a>. `}
      ${written.length > 0 ? "The log has what Write put into files so far, but not what commands did to them." : "Write has put nothing into files so far. What commands did to them is not in the log."}</p>
    <ul class="rows calls">${written.map((one) => html`<${WrittenFile} key=${one.path} of=${one} />`)}</ul>`
}

const marksOf = (turn: Turn | undefined): ReadonlyMap<string, FileChange["status"]> =>
  new Map(turn?.changed.map(({ path, status }) => [path, status]) ?? [])

const After = ({ files, run, workspace, of, step }: Of & { readonly files: ReadonlyArray<TreeFile> }): Node => {
  if (files.length === 0) return html`<p class="quiet">The workspace had no files then.</p>`
  const place = { id: workspace, run, turn: step, path: "" }
  const marks = marksOf(of.turns[step - 1])
  const gone = [...marks].filter(([, status]) => status === "deleted")
  return html`<p class="quiet">${countOf(files)}, <a href=${fileAt(place, "")}>view them with their content</a>.${gone.length > 0 && html` This turn deleted ${gone.length === 1 ? "one" : gone.length.toLocaleString("en")}.`}</p>
    <${Tree} files=${files} place=${place} marks=${marks} />`
}

/** Each file that a run had after a turn: what the turn did to it, and a link to its content at that time. */
export const FilesAfter = ({ run, workspace, of, step }: Of): Node => {
  const loaded = useLoaded(`${run} ${step}`, ({ cairn }, signal) =>
    cairn.workspaces.tree(workspace, { run, turn: step }, { signal })
  )
  const [now] = loaded
  if (now.state === "failed" && now.why === "missing")
    return html`<${LoggedWrites} workspace=${workspace} of=${of} step=${step} message=${now.message} />`
  return whenThere(
    loaded,
    ({ files }) => html`<${After} files=${files} run=${run} workspace=${workspace} of=${of} step=${step} />`,
    4
  )
}
