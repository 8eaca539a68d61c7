import type { Explanation } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Text } from "./Text.ts"

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** What moved a score, where it did. */
const Moved = ({ what, effect }: { readonly what: string; readonly effect: number }): Node => {
  if (Math.abs(effect) < 0.005) return null
  const raised = effect > 0
  return html`<li class="moved"><span class=${raised ? "plus" : "minus"} aria-hidden="true">${raised ? "↑" : "↓"}</span>
    <span class="what">${what}</span><span class="spoken">${raised ? " raised it" : " lowered it"}</span></li>`
}

/** Words with all places that have them. */
const byWord = (words: Explanation["words"]): ReadonlyArray<readonly [string, string]> => {
  const places = new Map<string, Array<string>>()
  for (const { word, place } of words) places.set(word, [...(places.get(word) ?? []), place])
  return [...places].map(([word, places]) => [word, places.join(", ")])
}

/** Why a snippet was found, as the service explains it: words, nearness, votes and what else moved its score. */
export const Why = ({ of }: { readonly of: Explanation }): Node => {
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
    <${Moved} what=${`Votes ${percent(of.verdict.value)}`} effect=${of.verdict.effect} />
    <${Moved} what=${`Completeness ${percent(of.completeness.value)}`} effect=${of.completeness.effect} />
    <${Moved} what="How common it is" effect=${of.hub.effect} />
    <${Moved} what=${`Length ${of.length.characters.toLocaleString("en")}`} effect=${of.length.effect} />
  </ul>`
}
