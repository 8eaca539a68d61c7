import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { whyNot } from "#test/console/chromium.ts"
import { fill } from "#test/console/filled.ts"
import { Cairn } from "../clients/typescript/src/index.ts"
import { grow } from "./console/grown.ts"
import {
  act,
  type Done,
  jump,
  type Looker,
  type Opened,
  sizeOf,
  startLooker,
  type Turned,
  turn
} from "./console/looker.ts"
import { benchDatabase, databaseIn } from "./database.ts"
import { service } from "./process.ts"
import { type Asked, type Measured, median, milliseconds, percentile, thousands } from "./report.ts"

type Ids = Awaited<ReturnType<typeof fill>>

/** Each page, and what has to be there before it shows what it is for. */
const pagesOf = ({ snippet, workspace }: Ids, commit: string, run: string) =>
  [
    ["sign in by a kept key, first steps", "/", ".empty"],
    ["overview", "/overview", ".activity li"],
    ["search", "/search?q=read+the+rows+of+a+CSV+file", ".found > li"],
    ["snippet", `/snippets/${snippet}`, ".sheet .code"],
    ["workspaces", "/workspaces", ".workspaces li"],
    ["history of a workspace", `/workspaces/${workspace}`, ".commits li"],
    ["files", `/workspaces/${workspace}/files?path=weather%2Frain.py`, ".file-view .code"],
    ["commit", `/workspaces/${workspace}/commits/${commit}`, ".diff"],
    ["chat", "/chat", "#task"],
    ["run", `/runs/${run}`, ".turns li"],
    ["events", "/events", ".events li"],
    ["event", "/events/9", ".envelope"],
    ["people and keys", "/people", ".keys li"],
    ["usage", "/usage", ".usage tbody"],
    ["read models", "/read-models", ".read-models tbody tr"],
    ["backups", "/backups", "form"],
    ["public snippets", "/public", "main"]
  ] as const

const plain = (name: string, value: string): Measured => ({ name, value, bar: "", met: null })

type Tell = Asked["tell"]

/** Each page, so many times as a stranger, and what all of them together load. */
const opened = async (looker: Looker, pages: ReturnType<typeof pagesOf>, times: number, tell: Tell) => {
  const rows: Array<Measured> = []
  const row = (one: Measured) => rows.push(tell(one))
  const all = new Map<string, number>()
  for (const [name, path, ready] of pages) {
    const seen: Array<Opened> = []
    for (let turn = 0; turn < times; turn++) {
      const one = await looker.open(path, ready)
      await one.close()
      seen.push(one)
    }
    const sum = [...seen[0]!.bytes.values()].reduce((sum, bytes) => sum + bytes, 0)
    for (const [asset, bytes] of seen[0]!.bytes) all.set(asset, bytes)
    const of = (what: "shown" | "first" | "largest" | "longest") => median(seen.map((one) => one[what]))
    const worst = Math.max(...seen.map(({ shown }) => shown))
    row({
      name: `${name}: opened`,
      value: `first paint ${milliseconds(of("first"))}, largest ${milliseconds(of("largest"))}, shown ${milliseconds(of("shown"))} (worst ${milliseconds(worst)}), longest task ${milliseconds(of("longest"))}, ${thousands(sum / 1000)} kB`,
      bar: "shown < 1 s, < 250 kB",
      met: of("shown") < 1_000 && sum < 250_000
    })
  }
  const together = [...all.values()].reduce((sum, bytes) => sum + bytes, 0)
  row({
    name: `scripts and styles of all pages together (${all.size} files)`,
    value: `${thousands(together / 1000)} kB`,
    bar: "< 250 kB",
    met: together < 250_000
  })
  return rows
}

/** Tasks typed into the box: from the end of each answer to the frame that shows it. */
const searched = async (looker: Looker, times: number): Promise<ReadonlyArray<Measured>> => {
  const { page, close } = await looker.open("/", "input[type=search]")
  const seen: Array<Done> = []
  for (let turn = 0; turn < times; turn++) {
    await page.fill("input[type=search]", "")
    const task = `read the rows of a CSV file, number ${turn}`
    const expected = { selector: ".found > li", answer: "/api/retrieve/search" }
    seen.push(await act(page, () => page.fill("input[type=search]", task), expected))
  }
  await close()
  const of = (share: number) =>
    percentile(
      seen.map(({ sinceAnswer }) => sinceAnswer),
      share
    )
  const worst = Math.max(...seen.map(({ longest }) => longest))
  const value = `p50 ${milliseconds(of(0.5))}, p95 ${milliseconds(of(0.95))}; longest task ${milliseconds(worst)}`
  return [{ name: "a search, from its answer to what is shown", value, bar: "< 100 ms", met: of(0.95) < 100 }]
}

/** Pages of a list that stand for its beginning, its middle and its end. */
const part = 10

/**
 * Pages of public snippets, which the service writes: each is another one. To the end, of which the first and last are
 * looked at.
 */
const published = async (looker: Looker) => {
  const { page, close, shown } = await looker.open("/public", "main li")
  const seen = async () => {
    await page.waitForSelector("main li")
    return await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0)
  }
  const next = page.getByRole("link", { name: "Show more" })
  const [first, last]: [Array<number>, Array<number>] = [[], []]
  for (let turn = 0; turn < part && (await next.count()) > 0; turn++) {
    const before = page.url()
    await Promise.all([page.waitForURL((url) => url.href !== before), next.first().click()])
    first.push(await seen())
  }
  // the middle of it without what a browser makes of each, whose page may ask for nothing
  const places: Array<string> = []
  for (let at: string | undefined = page.url(); at !== undefined; ) {
    places.push(at)
    const link: string | undefined = /href="([^"]+)"[^>]*>Show more</.exec(await (await fetch(at)).text())?.[1]
    at = link === undefined ? undefined : new URL(link.replaceAll("&amp;", "&"), at).href
  }
  for (const place of places.slice(-part)) {
    await page.goto(place)
    last.push(await seen())
  }
  await close()
  return plain(
    `public snippets: opened; ${thousands(first.length + places.length)} pages to the end`,
    `${milliseconds(shown)}; first paint of the first ${part} p50 ${milliseconds(median(first))}, of the last p50 ${milliseconds(median(last))} (${ratio(median(last), median(first))})`
  )
}

const ratio = (one: number, other: number): string => `× ${(one / other).toFixed(2)}`

interface List {
  readonly name: string
  readonly path: string
  /** The groups of its rows, and what asks for the next page. */
  readonly list: string
  readonly button: string
  /** Rows of a page. */
  readonly rows: number
}

/** A list, page by page, to its end or up to so many rows: what a page costs at first, half way and at last. */
const toTheEnd = async (
  looker: Looker,
  { name, path, list, button, rows }: List,
  most: number
): Promise<ReadonlyArray<Measured>> => {
  const { page, close } = await looker.open(path, `${list} li`)
  const pages = Math.max(3 * part, Math.floor(most / rows))
  const half = Math.floor(pages / 2)
  const between = [part, half - part, part, pages - half - 2 * part, part]
  const seen: Array<Awaited<ReturnType<typeof turn>>> = []
  const sizes = [await sizeOf(page)]
  for (const times of between) {
    seen.push(await turn(page, list, button, times))
    sizes.push(await sizeOf(page))
  }
  // what is left where there are some more than were added
  const rest = await turn(page, list, button, part)
  const all = [...seen, rest].flatMap(({ turned }) => turned)
  const parts = [all.slice(0, part), all.slice(half - part / 2, half + part / 2), all.slice(-part)]
  const jumps = [await jump(page, 0.5), await jump(page, 0.25), await jump(page, 0), await jump(page, 0.9)]
  await close()
  const of = (what: keyof Turned) => {
    const [first, middle, last] = parts.map((turned) => median(turned.map((one) => one[what])))
    return `${milliseconds(first!)}, ${milliseconds(middle!)}, ${milliseconds(last!)} (end to beginning ${ratio(last!, first!)})`
  }
  const size = ({ rows, elements, heap }: (typeof sizes)[number]) =>
    `${thousands(rows)} rows of ${thousands(elements)} elements, ${heap.toFixed(1)} MiB`
  const longest = [...seen, rest].map(({ longest }) => longest)
  const to = `${thousands((all.length + 1) * rows)} rows${rest.isOver ? ", which are all" : ""}`
  return [
    plain(`${name}: ${thousands(all.length)} pages turned to ${to}; a page at first, half way, at last`, of("shown")),
    plain(`${name}: of it after the answer`, of("sinceAnswer")),
    plain(
      `${name}: longest task at first, half way, at last, and of all`,
      [longest[0]!, longest[2]!, Math.max(longest[4]!, longest[5]!), Math.max(...longest)].map(milliseconds).join(", ")
    ),
    plain(
      `${name}: on the page at first, half way, at last`,
      [sizes[1]!, sizes[3]!, sizes.at(-1)!].map(size).join("; ")
    ),
    plain(
      `${name}: from the end to the middle, a quarter, the top, nine tenths, until rows are seen`,
      jumps.map(milliseconds).join(", ")
    )
  ]
}

const listsOf = (workspace: string): ReadonlyArray<List> => [
  { name: "events", path: "/events", list: ".rows.events", button: "Show earlier", rows: 100 },
  { name: "workspaces", path: "/workspaces", list: ".rows.workspaces", button: "Show more", rows: 100 },
  { name: "history", path: `/workspaces/${workspace}`, list: ".rows.commits", button: "Show earlier", rows: 50 },
  { name: "people", path: "/people", list: ".rows.persons", button: "Show more", rows: 100 },
  { name: "keys", path: "/people", list: ".rows.keys", button: "Show more", rows: 100 }
]

/** The log, narrowed and jumped into. */
const narrowed = async (looker: Looker, count: number): Promise<ReadonlyArray<Measured>> => {
  const { page, close } = await looker.open("/events", ".events li")
  const answer = "/api/events"
  const select = page.locator("form.filters select").first()
  const filtered = await act(page, () => select.selectOption("SnippetUploaded"), { selector: ".events li", answer })
  const back = await act(page, () => select.selectOption(""), { selector: ".events li", count: 100, answer })
  const jump = async (to: string) => {
    await page.locator("form.filters input").last().fill(to)
    return await act(page, () => page.getByRole("button", { name: "Jump" }).click(), { selector: ".events li", answer })
  }
  const jumped = [await jump(String(count)), await jump(String(Math.round(count / 2))), await jump("7")]
  const first = page.getByRole("link", { name: "Oldest first" })
  const beginning = await act(page, () => first.click(), { selector: ".events li", answer })
  await close()
  const each = [filtered, back, ...jumped, beginning].map(({ shown }) => milliseconds(shown)).join(", ")
  const longest = Math.max(...[filtered, back, ...jumped, beginning].map(({ longest }) => longest))
  const names = "events: a rare type, all types, three jumps (new, middle, old), the beginning"
  return [plain(names, `${each}; longest task ${milliseconds(longest)}`)]
}

/** A difference of a megabyte: opened, then all of its lines. */
const different = async (looker: Looker, cairn: Cairn, workspace: string): Promise<ReadonlyArray<Measured>> => {
  const lines = (mark: string) => Array.from({ length: 9_000 }, (_, n) => `${mark} ${n} ${"x".repeat(40)}`).join("\n")
  await cairn.workspaces.putFile(workspace, "long.txt", lines("before"))
  const { commit } = await cairn.workspaces.putFile(workspace, "long.txt", lines("after"))
  const { diff } = await cairn.workspaces.commit(workspace, commit)
  const one = await looker.open(`/workspaces/${workspace}/commits/${commit}`, "details.file")
  const { page } = one
  const unfolded = await act(page, () => page.locator("details.file summary").first().click(), { selector: ".diff tr" })
  const all = page.getByRole("button", { name: /^Show (all|\d)/ }).first()
  const whole = await act(page, () => all.click(), { selector: ".diff tr", count: 1_000 })
  await one.close()
  const steps = [one, unfolded, whole].map(({ shown, longest }) => `${milliseconds(shown)} (${milliseconds(longest)})`)
  return [
    plain(
      `a difference of ${thousands(diff.length)} characters: opened, unfolded, more lines (longest task of each)`,
      steps.join(", ")
    )
  ]
}

/** What a folder was filled with, so that it need not be again. */
interface Kept {
  readonly count: number
  readonly ids: Ids
  readonly commit: string
  readonly run: string
}

/**
 * Pages of the console in Chromium: what they load, when they show something, and lists that are long. With `folder`,
 * what it is filled with stays there, and the next time only the long lists are looked at.
 */
export const browsing = (scale: number, _: unknown, { tell, folder }: Asked) =>
  Effect.gen(function* () {
    const missing = whyNot()
    if (missing !== undefined) return [plain("the console", missing)]
    const { url, dataDir } = yield* folder === undefined ? benchDatabase : databaseIn(folder)
    const environment = { DATABASE_URL: Redacted.value(url) }
    const looking = <A>(look: (looker: Looker, cairn: Cairn) => Promise<A>) =>
      Effect.scoped(
        Effect.flatMap(service(dataDir, environment), ({ port, key, ready }) =>
          Effect.promise(async () => {
            const base = `http://127.0.0.1:${port}`
            tell(plain("the service: ready", milliseconds(ready)))
            const looker = await startLooker(base, key)
            try {
              return await look(looker, new Cairn({ apiKey: key, baseUrl: base }))
            } finally {
              await looker.close()
            }
          })
        )
      )
    const place = join(dataDir, "filled.json")
    const rows: Array<Measured> = []
    const row = (one: Measured) => rows.push(tell(one))
    if (!existsSync(place)) {
      const count = Math.round(100_000 * scale)
      const small = yield* looking(async (looker, cairn): Promise<Omit<Kept, "count">> => {
        const ids = await fill(cairn)
        await cairn.keys.create({ email: "ada@example.org", keyName: "laptop" })
        await cairn.snippets.create({
          name: "shared",
          source: "def shared(rows):\n    return [row for row in rows if row]\n",
          entrypoint: "shared",
          language: "python",
          public: true
        })
        const { commits } = await cairn.workspaces.commits(ids.workspace)
        const commit = commits.find(({ changes }) => changes.some(({ status }) => status === "modified"))!.sha
        const { runs } = await cairn.runs.list(ids.workspace)
        const run = runs[0]!.runId
        rows.push(...(await opened(looker, pagesOf(ids, commit, run), 3, tell)))
        for (const one of await searched(looker, 12)) row(one)
        for (const one of await different(looker, cairn, ids.workspace)) row(one)
        return { ids, commit, run }
      })
      const began = performance.now()
      yield* grow({ url, dataDir, workspace: small.ids.workspace, count })
      row(plain(`${thousands(count)} further of each: written`, milliseconds(performance.now() - began)))
      writeFileSync(place, JSON.stringify({ count, ...small } satisfies Kept))
    }
    const { count, ids, commit, run }: Kept = JSON.parse(readFileSync(place, "utf8"))
    yield* looking(async (looker) => {
      row(plain(`now with ${thousands(count)} further votes, people, keys, snippets, workspaces, commits`, ""))
      rows.push(...(await opened(looker, pagesOf(ids, commit, run), 1, tell)))
      for (const one of await searched(looker, 12)) row(one)
      for (const one of await narrowed(looker, count)) row(one)
      for (const list of listsOf(ids.workspace)) for (const one of await toTheEnd(looker, list, count)) row(one)
      row(await published(looker))
    })
    return rows
  }).pipe(Effect.scoped)
