import type { ModelStatus, Readiness, ServiceStatus } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { may } from "../session.ts"
import { bytesIn } from "../workspaces/bytes.ts"
import { rest } from "./pace.ts"

const titles = { ready: "Ready", starting: "Catching up", failing: "Something has stopped" } as const
const marks = { ready: "completed", starting: "running", failing: "failed" } as const

/** What is not as it should be, one sentence for each. */
const complaintsOf = ({ readModels, nearlyFull, leftOut }: Readiness): ReadonlyArray<string> => [
  ...Object.entries(readModels).flatMap(([name, state]) => (state === "ok" ? [] : [`${name}: ${state}`])),
  ...nearlyFull.map((disk) => `The disk of the ${disk} is nearly full: writes are refused.`),
  ...(leftOut.count === 0 ? [] : [`${leftOut.count.toLocaleString("en")} snippets are only partly searchable.`])
]

/** The service's folders by the free space of their disks. Most of them are on one disk. */
const roomOf = ({ disks }: ServiceStatus): ReadonlyArray<readonly [string, string]> => {
  const rooms = new Map<string, Array<string>>()
  for (const { disk, freeBytes } of disks)
    rooms.set(bytesIn(freeBytes), [...(rooms.get(bytesIn(freeBytes)) ?? []), disk])
  if (rooms.size === 1) return [["Free", [...rooms.keys()][0]!]]
  return [...rooms].map(([free, of]) => [`Free, ${of.join(" and ")}`, free])
}

/** When a model last answered or failed, whichever was later. */
const lastOf = ({ answeredAt, failedAt }: ModelStatus): string => [answeredAt ?? "", failedAt ?? ""].sort().at(-1)!

/** The state of each model that was asked since the service started. No model is asked only to learn its state. */
const Models = ({ of }: { readonly of: ReadonlyArray<ModelStatus> }): Node => {
  const asked = of.filter((one) => lastOf(one) !== "").sort((one, other) => (lastOf(one) < lastOf(other) ? 1 : -1))
  if (asked.length === 0) return html`<p class="quiet">No language model was asked since the service started.</p>`
  return html`<ul class="plain" aria-label="Language models">${asked.map((one) => {
    const isFailing = one.failedAt !== null && lastOf(one) === one.failedAt
    return html`<li key=${one.name}><span class="quiet">Model</span> <${Text} of=${one.name} /> <span class=${`status ${isFailing ? "failed" : "completed"}`}>${isFailing ? "failed" : "answered"}</span>
      <small class="quiet"> <${Time} at=${lastOf(one)} /></small>${isFailing && one.fault !== null && html` <small><${Text} of=${one.fault} /></small>`}</li>`
  })}</ul>`
}

const Facts = ({ of }: { readonly of: ServiceStatus }): Node => {
  const behind = of.readModels.filter(({ lag, fault }) => lag !== 0 || fault !== null).length
  return html`<dl class="facts-line">
    <div><dt>Version</dt><dd>${of.version}</dd></div>
    <div><dt>Started</dt><dd><${Time} at=${of.startedAt} /></dd></div>
    <div><dt>Runs on</dt><dd>${of.runtime}</dd></div>
    <div><dt>Memory</dt><dd>${bytesIn(of.memoryBytes)}</dd></div>
    ${roomOf(of).map(([title, free]) => html`<div key=${title}><dt>${title}</dt><dd>${free}</dd></div>`)}
    <div><dt>Chats</dt><dd>${of.chats.running} running, ${of.chats.waiting} waiting</dd></div>
    <div><dt>Read models</dt><dd><a href=${href("readModels")}>${behind === 0 ? `all ${of.readModels.length} up to date` : `${behind} of ${of.readModels.length} behind`}</a></dd></div>
  </dl><${Models} of=${of.models} />`
}

const Operated = (): Node => {
  const loaded = useLoaded("status", ({ cairn }, signal) => cairn.system.status({ signal }))
  useEvery(rest, loaded[1])
  return whenThere(loaded, (status) => html`<${Facts} of=${status} />`, 1)
}

/** Whether the service can answer everything, and what else its operator should know. */
export const Health = (): Node => {
  const loaded = useLoaded("ready", ({ cairn }, signal) => cairn.system.ready({ signal }))
  useEvery(rest, loaded[1])
  return html`<section class="health" aria-label="Health">
    ${whenThere(
      loaded,
      (ready) => html`<p><span class=${`status ${marks[ready.status]}`} role="status">${titles[ready.status]}</span></p>
        <ul class="plain">${complaintsOf(ready).map((said) => html`<li key=${said}><${Text} of=${said} /></li>`)}</ul>`,
      1
    )}
    ${may("service.status") && html`<${Operated} />`}</section>`
}
