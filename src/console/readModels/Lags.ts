import { html, type Node } from "../html.ts"

/** How far each read model was behind at one time. */
export interface Sample {
  readonly at: number
  readonly lags: ReadonlyMap<string, number>
}

const [width, height] = [120, 18]

/** How far one read model was behind, from look to look. */
export const Lags = ({ of, name }: { readonly of: ReadonlyArray<Sample>; readonly name: string }): Node => {
  const lags = of.map((sample) => sample.lags.get(name) ?? 0)
  const most = Math.max(...lags, 0)
  const step = width / Math.max(1, lags.length - 1)
  const points = lags.map(
    (lag, index) => `${(index * step).toFixed(1)},${(height - 1 - (lag / Math.max(1, most)) * (height - 2)).toFixed(1)}`
  )
  const said = most === 0 ? "never behind" : `at most ${most.toLocaleString("en")} behind`
  return html`<span class="lags"><svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${said}><polyline points=${points.join(" ")} /></svg>
    <small>${most === 0 ? "never" : most.toLocaleString("en")}</small></span>`
}
