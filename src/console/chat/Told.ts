import { useState } from "preact/hooks"
import type { OfferedTool, Told, ToldExchange, ToldTurn } from "../../../clients/typescript/src/index.ts"
import { type Children, html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Folded } from "../parts/Folded.ts"
import { number } from "../parts/figures.ts"
import { Long } from "../parts/Long.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { firstLineOf, hintOf, inputOf } from "./Turns.ts"

/** How many turns, the last ones, are listed before somebody asks for all. */
const most = 20

/** A part of what the model saw, with its size. */
const Part = ({
  title,
  more,
  children
}: {
  readonly title: Children
  readonly more: string
  readonly children: () => Node
}): Node =>
  html`<${Folded} summary=${html`<b>${title}</b> <span class="path quiet"><${Text} of=${more} /></span>`}>${children}<//>`

const lengthOf = (text: string): string => `${number(text.length)} ${text.length === 1 ? "character" : "characters"}`

const Tool = ({ of }: { readonly of: OfferedTool }): Node => html`<dt><${Text} of=${of.name} /></dt>
  <dd><p class="said"><${Long} of=${of.description} /></p>
    <${Long} of=${JSON.stringify(of.inputSchema, null, 2)} label=${`What ${of.name} takes`} /></dd>`

type Block = ToldExchange["content"][number]

const textOf = ({ type, text }: Block): string | undefined =>
  type === "text" && typeof text === "string" ? text : undefined

const toolOf = ({ type, name }: Block): string | undefined =>
  type === "tool_use" && typeof name === "string" ? name : undefined

/** One block of what the model had said. */
const Said = ({ of }: { readonly of: Block }): Node => {
  const [text, tool] = [textOf(of), toolOf(of)]
  if (text !== undefined)
    return html`<dt>The model had said</dt><dd><${Long} of=${text} label="Words of the model" /></dd>`
  if (tool !== undefined)
    return html`<dt>The model had called <${Text} of=${tool} /></dt><dd><${Long} of=${inputOf({ input: of["input"] })} label=${`What ${tool} was told`} /></dd>`
  return html`<dt>Only for the model</dt><dd><${Long} of=${JSON.stringify(of, null, 2)} label="Only for the model" /></dd>`
}

const Exchange = ({ of: { content, results } }: { readonly of: ToldExchange }): Node => {
  const nameOf = (id: string) => content.flatMap((block) => (block["id"] === id ? [toolOf(block) ?? ""] : []))[0] ?? ""
  return html`<dl>${content.map((block, index) => html`<${Said} key=${index} of=${block} />`)}
    ${results?.map(
      ({
        toolCallId,
        content,
        isError
      }) => html`<dt key=${toolCallId}><${Text} of=${nameOf(toolCallId)} /> ${isError ? "had failed" : "had answered"}</dt>
        <dd><${Long} of=${content} label=${`What ${nameOf(toolCallId)} answered`} /></dd>`
    )}</dl>`
}

/** An earlier turn in one line. */
const shortOf = ({ content, results }: ToldExchange): string => {
  const calls = content.flatMap((block) => {
    const tool = toolOf(block)
    return tool === undefined ? [] : [`${tool} ${hintOf({ input: block["input"] })}`.trim()]
  })
  const answered = (results ?? []).reduce((sum, { content }) => sum + content.length, 0)
  const said = content.flatMap((block) => textOf(block)?.slice(0, 120) ?? []).join(" ")
  return `${calls.length === 0 ? said : calls.join(", ")}${answered > 0 ? ` · ${number(answered)} characters answered` : ""}`
}

const History = ({ of }: { readonly of: Told }): Node | null => {
  const [all, setAll] = useState(false)
  const { history, compactedUpTo } = of
  const listed = all ? history : history.slice(-most)
  return html`${compactedUpTo > 0 && html`<li class="note">Turns 1 to ${compactedUpTo} are only in the summary after the task.</li>`}
    ${listed.length < history.length && html`<li><button type="button" class="small" onClick=${() => setAll(true)}>Show all ${number(history.length)} turns</button></li>`}
    ${listed.map((one) => html`<li key=${one.turn}><${Part} title=${`Turn ${one.turn}`} more=${shortOf(one)}>${() => html`<${Exchange} of=${one} />`}<//></li>`)}`
}

const memories: { readonly [memory: string]: string } = {
  told: "The task is followed by the workspace's memory of earlier chats, as of the start of the run.",
  none: "The workspace had no memory of earlier chats when the run started.",
  unreadable: "The workspace's memory of earlier chats could not be read."
}

const All = ({ of: { told, model } }: { readonly of: ToldTurn }): Node => {
  const { system, tools, prompt, memory } = told
  return html`${model === "local" && html`<p class="note">No language model was asked: <code>local</code> is given this, but uses only the task and what the tools answered.</p>`}
    <ul class="rows calls">
      <li><${Part} title="System prompt" more=${lengthOf(system)}>${() => html`<${Long} of=${system} label="System prompt" />`}<//></li>
      <li><${Part} title=${`${tools.length} tools`} more=${tools.map(({ name }) => name).join(", ")}>${() => html`<dl>${tools.map((tool) => html`<${Tool} key=${tool.name} of=${tool} />`)}</dl>`}<//></li>
      <li><${Part} title="Task" more=${firstLineOf(prompt)}>${() => html`${memory !== null && html`<p class="quiet">${memories[memory]}</p>`}<${Long} of=${prompt} label="Task" />`}<//></li>
      <${History} of=${told} />
    </ul>
    <p class="note">Rebuilt from the log in the same way as for the model. The log does not have the texts of the system prompt and the tools: those shown are of the version that runs now.</p>`
}

const Loaded = ({ id, turn }: { readonly id: string; readonly turn: number }): Node => {
  const loaded = useLoaded(`${id} ${turn}`, ({ cairn }, signal) => cairn.runs.turn(id, turn, { signal }))
  return whenThere(loaded, (told) => html`<${All} of=${told} />`, 4)
}

/** All that the model was told before a turn. It is loaded when it is opened. */
export const WhatItSaw = ({ id, turn }: { readonly id: string; readonly turn: number }): Node => {
  const [open, setOpen] = useState(false)
  return html`<section aria-label="What the model saw"><details class="saw" open=${open} onToggle=${(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
    <summary><h2>What the model saw at this turn</h2></summary>
    ${open && html`<${Loaded} key=${turn} id=${id} turn=${turn} />`}</details></section>`
}
