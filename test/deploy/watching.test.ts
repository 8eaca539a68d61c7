import { readdirSync, readFileSync } from "node:fs"
import { parser } from "@prometheus-io/lezer-promql"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { metrics } from "#ports/metrics.ts"
import { readConfig } from "#src/config/config.ts"
import { endpoints } from "#test/http/everyOperation.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** The series that Prometheus has of a metric, and their labels. */
const series = new Map<string, ReadonlyArray<string>>(
  metrics.flatMap(
    ({ name, kind, labels }): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
      kind === "histogram"
        ? [
            [`${name}_bucket`, [...labels, "le"]],
            [`${name}_sum`, labels],
            [`${name}_count`, labels]
          ]
        : [[name, labels]]
  )
)
/** What Prometheus adds. */
const everywhere = ["instance", "job"]

/** The metrics that an expression names and the labels that it tells apart, by Prometheus' own grammar. */
const namedIn = (expression: string) => {
  const text = expression.replaceAll("$__rate_interval", "5m")
  const found = { metrics: new Set<string>(), labels: new Set<string>() }
  parser.parse(text).iterate({
    enter: (node) => {
      const { name, type, from, to } = node
      assert.isFalse(type.isError, `${expression} at ${from}`)
      const word = text.slice(from, to)
      if (name === "Identifier" && node.matchContext(["VectorSelector"])) found.metrics.add(word)
      if (name === "LabelName") found.labels.add(word)
    }
  })
  return found
}

const isKnown = (expression: string): ReadonlyArray<string> => {
  const { metrics: names, labels } = namedIn(expression)
  const known = [...names].filter((name) => name !== "up")
  for (const name of known) assert.isTrue(series.has(name), `${expression}: there is no ${name}`)
  const theirs = new Set([...everywhere, ...known.flatMap((name) => series.get(name)!)])
  for (const label of labels) assert.isTrue(theirs.has(label), `${expression}: none has ${label}`)
  return known
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}
const rules = (
  parse(read("deploy/prometheus/alerts.yml")) as { groups: ReadonlyArray<{ rules: ReadonlyArray<Rule> }> }
).groups.flatMap(({ rules }) => rules)
const { panels } = JSON.parse(read("deploy/grafana/cairn.json")) as {
  panels: ReadonlyArray<{ title: string; targets: ReadonlyArray<{ expr: string; legendFormat: string }> }>
}
const page = read("docs/operations.md")

describe("what watches over Cairn", () => {
  it("the alerts are rules that Prometheus reads, on metrics and labels that there are", () => {
    assert.isAtLeast(rules.length, 15)
    assert.strictEqual(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    for (const { alert, expr, labels, annotations } of rules) {
      const names = isKnown(expr)
      if (alert !== "CairnDown") assert.isNotEmpty(names, alert)
      assert.include(["page", "ticket"], labels.severity)
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
        assert.include([...everywhere, ...names.flatMap((name) => series.get(name)!)], label, alert)
    }
  })

  it("the dashboard shows every metric, and no other", () => {
    const shown = new Set<string>()
    for (const { targets } of panels)
      for (const { expr, legendFormat } of targets) {
        const names = isKnown(expr)
        for (const name of names) shown.add(name.replace(/_(?:bucket|sum|count)$/, ""))
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          assert.include([...everywhere, ...names.flatMap((name) => series.get(name)!)], label, expr)
      }
    assert.sameMembers(
      [...shown],
      metrics.map(({ name }) => name)
    )
  })

  it("docs/operations.md says of each alert what it means, and of each metric what it counts", () => {
    const alerts = [...page.matchAll(/^\| `(Cairn\w+)` +\|/gm)].map(([, name]) => name)
    assert.deepStrictEqual(
      alerts,
      rules.map(({ alert }) => alert)
    )
    const told = [...page.matchAll(/^\| `(cairn_\w+)` +\|/gm)].map(([, name]) => name)
    assert.sameMembers(
      told,
      metrics.map(({ name }) => name)
    )
  })

  it("docs/operations.md names lines of the log, panels, routes and variables that there are", () => {
    const sources = ["engine", "infra", "src"].flatMap((folder) =>
      readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => read(`${folder}/${name}`))
    )
    const saidBy = (phrase: string) => {
      const parts = phrase.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      return sources.some((text) => new RegExp(parts.join(".*")).test(text))
    }
    const quoted = new Set(
      [...page.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g)].map(([, one]) => one!.replaceAll(/\s+/g, " "))
    )
    const count = { phrases: 0, routes: 0, variables: 0 }
    const titles = panels.map(({ title }) => title)
    // Postgres' own words, and a header
    const others = ["VACUUM FULL", "pre-existing shared memory block", "Cairn-Stale: true"]
    for (const one of quoted) {
      const [, method, path] = /^(GET|POST|PUT|DELETE) (\/[^?]+)/.exec(one) ?? []
      const [variable] = /^(?:CAIRN|OTEL)_[A-Z_]+/.exec(one) ?? []
      if (method !== undefined) {
        const found = endpoints.some(
          ([, endpoint]) => endpoint.method === method && endpoint.path.replaceAll(/:(\w+)/g, "{$1}") === path
        )
        assert.isTrue(found, `there is no ${one}`)
        count.routes += 1
      } else if (variable !== undefined) {
        assert.isTrue(saidBy(variable.replace(/_FILE$/, "")), `nothing reads ${variable}`)
        count.variables += 1
      } else if (
        (/ /.test(one) && !/^(?:cairn|npm|curl|du|df|kill|replay|GET) /.test(one) && !others.includes(one)) ||
        /^[A-Z][a-z]+$/.test(one)
      ) {
        assert.isTrue(titles.includes(one) || saidBy(one), `nothing says "${one}", and no panel is called so`)
        count.phrases += 1
      }
    }
    assert.isAtLeast(count.routes, 4)
    assert.isAtLeast(count.variables, 12)
    assert.isAtLeast(count.phrases, 10)
  })

  it("Prometheus is told the port that the page and the example of the environment name", () => {
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(read("deploy/prometheus/prometheus.yml"))!
    assert.include(page, `CAIRN_METRICS_PORT=${port}`)
    assert.strictEqual(readConfig({ CAIRN_METRICS_PORT: port! }).metricsPort, Number(port))
  })
})
