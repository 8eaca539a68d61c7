import parse from "parse-prometheus-text-format"
import { assert } from "vitest"

/** A metric as Prometheus' parser has it. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM"
  readonly metrics: ReadonlyArray<{
    readonly value?: string
    readonly labels?: { readonly [label: string]: string }
  }>
}

/** What is at a port of this machine's, as text and as a parser reads it. */
export const scrape = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  assert.strictEqual(response.status, 200)
  assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  const text = await response.text()
  const families = parse(text) as ReadonlyArray<Family>
  // the parser makes one of all histograms of a name, whatever their labels: untyped it tells them apart
  const samples = parse(text.replaceAll(/^#.*\n/gm, "")) as ReadonlyArray<Family>
  const labelled = ({ name, type, metrics }: Family): Family["metrics"] =>
    type === "HISTOGRAM" ? samples.filter((one) => one.name === `${name}_count`).flatMap((one) => one.metrics) : metrics
  const valueOf = (name: string, labels: { readonly [label: string]: string } = {}): number => {
    const family = families.find((one) => one.name === name)
    const found = (family === undefined ? [] : labelled(family)).filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels?.[label] === value)
    )
    return found.reduce((sum, { value }) => sum + Number(value), 0)
  }
  return { text, families, labelled, valueOf }
}
