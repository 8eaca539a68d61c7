import { html, type Node } from "../html.ts"

/** What was counted in one stretch of time. */
interface Counted {
  readonly from: Date
  readonly label: string
  readonly counts: { readonly [kind: string]: number }
}

/** A part of a bar, from the bottom up. */
interface Part {
  readonly kind: string
  readonly called: string
  /** Default: `good`. */
  readonly tone?: "mild" | "bad"
}

const [width, height] = [288, 64]

/** Bars over time, one for each bin, with a title and the total. */
export const Chart = ({
  title,
  of,
  parts
}: {
  readonly title: string
  readonly of: ReadonlyArray<Counted>
  readonly parts: ReadonlyArray<Part>
}): Node => {
  const sumOf = ({ counts }: Counted) => parts.reduce((sum, { kind }) => sum + counts[kind]!, 0)
  const most = Math.max(1, ...of.map(sumOf))
  const total = of.reduce((sum, bin) => sum + sumOf(bin), 0)
  const step = width / of.length
  const peak = of.find((bin) => sumOf(bin) === most)
  const told = parts.map(({ kind, called }) => `${of.reduce((sum, { counts }) => sum + counts[kind]!, 0)} ${called}`)
  const spoken = total === 0 ? "none" : `${told.join(", ")}; the most, ${most}, ${peak?.label}`
  const bars = of.map((bin, index) => {
    let below = 0
    const said = parts.map(({ kind, called }) => `${bin.counts[kind]} ${called}`).join(", ")
    return html`<g key=${bin.from.getTime()} aria-hidden="true"><title>${`${bin.label}: ${said}`}</title>
      <rect class="room" x=${index * step} y="0" width=${step} height=${height} />
      ${parts.map(({ kind, tone = "good" }) => {
        const size = (bin.counts[kind]! / most) * (height - 2)
        below += size
        return (
          size > 0 &&
          html`<rect key=${kind} class=${tone} x=${index * step + step * 0.12} y=${height - below} width=${step * 0.76} height=${size} rx="1" />`
        )
      })}</g>`
  })
  return html`<figure class="chart"><figcaption><span>${title}</span><b>${total.toLocaleString("en")}</b></figcaption>
    <svg viewBox=${`0 0 ${width} ${height + 1}`} preserveAspectRatio="none" role="img" aria-label=${`${title}: ${spoken}`}>
      ${bars}<line x1="0" x2=${width} y1=${height + 0.5} y2=${height + 0.5} /></svg>
    <p class="ends quiet" aria-hidden="true"><span>${of[0]?.label}</span><span>${of.at(-1)?.label}</span></p></figure>`
}
