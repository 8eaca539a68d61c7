import type { PageName } from "#src/console/paths.ts"
import { clientOf, type Reading } from "./reading.ts"

/** An address, and what is there when the page has come. */
export type Seen = readonly [path: string, ready: string]

/** Read models as of a position, made when they were not yet. */
const asOf = async (on: Reading): Promise<string> => {
  const { system } = clientOf(on.service)
  const made = async () => (await system.asOfs()).asOf.find(({ state }) => state === "made")?.position
  const position = "9"
  if ((await made()) === undefined) await system.makeAsOf(position)
  while ((await made()) === undefined);
  return position
}

/** Each page of the console: a new one without an address here is none that the types take. */
export const everyPage = async (on: Reading): Promise<{ readonly [page in PageName]: Seen }> => {
  const cairn = clientOf(on.service)
  const { workspace, snippet } = on.ids
  const { commits } = await cairn.workspaces.commits(workspace)
  const modified = commits.find(({ changes }) => changes.some(({ status }) => status === "modified"))!
  const { runId } = (await cairn.runs.list(workspace)).runs[0]!
  return {
    overview: ["/overview", ".happened:not(.requests) .chart"],
    search: ["/search?q=csv", ".found .hl-keyword"],
    snippet: [`/snippets/${snippet}`, ".executions .row, .executions li"],
    workspaces: ["/workspaces", ".workspaces"],
    workspace: [`/workspaces/${workspace}`, ".commits"],
    files: [`/workspaces/${workspace}/files?path=weather%2Frain.py`, ".file-view"],
    commit: [`/workspaces/${workspace}/commits/${modified.sha}`, ".diff"],
    compare: [`/workspaces/${workspace}/compare?base=${modified.sha}`, ".diff"],
    chat: ["/chat", "#task"],
    run: [`/runs/${runId}`, ".turns li:nth-child(3)"],
    events: ["/events", ".events .row"],
    event: ["/events/9", ".causes li"],
    people: ["/people", ".keys .row"],
    usage: ["/usage?by=workspace", "tbody tr"],
    readModels: ["/read-models", ".read-models tbody"],
    asOf: [`/read-models/as-of/${await asOf(on)}?table=keys_keys`, "tbody tr"],
    backups: ["/backups", "form"]
  }
}

/** What else a page may be: as it is at first, at a step, of a commit that a chat made, of nothing that is there. */
export const otherLooks = async (on: Reading): Promise<ReadonlyArray<Seen>> => {
  const cairn = clientOf(on.service)
  const { workspace } = on.ids
  const { runId } = (await cairn.runs.list(workspace)).runs[0]!
  const byChat = (await cairn.workspaces.commits(workspace)).commits.find(({ sessionId }) => sessionId !== null)!
  return [
    ["/", ".empty"],
    [`/workspaces/${workspace}/commits/${byChat.sha}`, ".by-chat .facts-line"],
    [`/runs/${runId}?turn=2`, "section[aria-label='All files'] .tree"],
    ["/snippets/none", ".failed"]
  ]
}
