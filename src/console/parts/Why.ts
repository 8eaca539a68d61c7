import type { Explanation } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { plain } from "../visible.ts"
import { Text } from "./Text.ts"

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** What moved a score. What did not move it is shown only if `always` is set. */
const Moved = ({
  what,
  effect,
  always = false
}: {
  readonly what: string
  readonly effect: number
  readonly always?: boolean
}): Node => {
  if (Math.abs(effect) < 0.005) return always ? html`<li class="moved">${what}</li>` : null
  const raised = effect > 0
  return html`<li class="moved"><span class=${raised ? "plus" : "minus"} aria-hidden="true">${raised ? "↑" : "↓"}</span>
    <span class="what">${what}</span><span class="spoken">${raised ? " raised it" : " lowered it"}</span></li>`
}

/** Each word with all places that have it. */
const byWord = (words: Explanation["words"]): ReadonlyArray<readonly [string, string]> => {
  const places = new Map<string, Array<string>>()
  for (const { word, place } of words) places.set(word, [...(places.get(word) ?? []), place])
  return [...places].map(([word, places]) => [word, places.join(", ")])
}

/** The votes for tasks near to the one that was asked for, with the nearest one that the reader may see. */
const learnedIn = ({ tasks }: NonNullable<Explanation["learned"]>): string => {
  const [up, down] = [tasks.reduce((sum, { up }) => sum + up, 0), tasks.reduce((sum, { down }) => sum + down, 0)]
  const nearest = tasks.find(({ task }) => task !== null)?.task
  return `+${up} −${down} for tasks near this one${nearest == null ? "" : `: ${plain(nearest.slice(0, 80))}`}`
}

/** Why a snippet was found, as the service explains it: words, nearness, votes and whatever else moved its score. */
export const Why = ({
  of,
  up,
  down
}: {
  readonly of: Explanation
  readonly up: number
  readonly down: number
}): Node => {
  const words = byWord(of.words.filter(({ share }) => share > 0)).slice(0, 6)
  const nearest = of.nearest.filter(({ asked, found, cosine }) => cosine > 0 && asked !== found).slice(0, 3)
  return html`<ul class="why" aria-label="Why it was found">
    ${
      words.length > 0 &&
      html`<li><span class="what">Words ${percent(of.wordShare)}</span>
        ${words.map(([word, places]) => html`<span class="chip" key=${word}><${Text} of=${word} /><small>${places}</small></span>`)}</li>`
    }
    ${
      of.cosine > 0 &&
      html`<li><span class="what">Meaning ${percent(of.cosine)}</span>
        ${nearest.map(
          ({ asked, found, place, cosine }) =>
            html`<span class="chip" key=${`${asked} ${found}`} title=${`${percent(cosine)} near, in its ${place}`}><${Text} of=${asked} /><small>near</small><${Text} of=${found} /></span>`
        )}</li>`
    }
    <${Moved} what=${`Votes +${up} −${down}`} effect=${of.verdict.effect} always />
    ${of.learned !== null && html`<${Moved} what=${learnedIn(of.learned)} effect=${of.learned.effect} />`}
    <${Moved} what=${`Completeness ${percent(of.completeness.value)}`} effect=${of.completeness.effect} always />
    <${Moved} what=${of.hub.effect > 0 ? "Unlike most others" : "Similar to many others"} effect=${of.hub.effect} />
    <${Moved} what=${`${of.length.characters.toLocaleString("en")} characters long`} effect=${of.length.effect} />
  </ul>`
}
