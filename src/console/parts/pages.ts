import { useEffect, useRef, useState } from "preact/hooks"
import { hasDone } from "../live/steady.ts"
import { type Loaded, useLoaded } from "../loading.ts"
import { failure, type Session, session } from "../session.ts"

/** A page of a list, and where the next one begins; `null`: there is none. */
export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

/** A list page by page. */
export interface Pages<Row, P extends Page<Row> = Page<Row>> {
  readonly first: readonly [Loaded<P>, () => void]
  readonly rows: ReadonlyArray<Row>
  /** Whether its reader has gone further than the first page, or is about to. */
  readonly isFurther: boolean
  /** Asks for the next page; `undefined`: there is none. */
  readonly more: (() => void) | undefined
  /** Whether that is on its way, or a list of another name. */
  readonly isBusy: boolean
  readonly problem: string
  /** Rows are gone by the reader's own doing: they go, and who has gone further stays where they are. */
  readonly without: (gone: (row: Row) => boolean) => void
}

/** What came behind a first page, and what of all has gone. */
interface Behind<Row, P> {
  readonly first: P | undefined
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
  readonly problem: string
  readonly gone: ReadonlyArray<(row: Row) => boolean>
}

const nothingBehind = <Row, P extends Page<Row>>(first: P | undefined): Behind<Row, P> => ({
  first,
  rows: [],
  next: first?.next ?? null,
  problem: "",
  gone: []
})

/** A list page by page: the first one at once, a further one each time somebody asks. */
export const usePages = <Row, P extends Page<Row> = Page<Row>>(
  name: string | undefined,
  ask: (session: Session, cursor: string | undefined, signal: AbortSignal) => Promise<P>
): Pages<Row, P> => {
  const first = useLoaded(name, (open, signal) => ask(open, undefined, signal))
  const [loaded, again] = first
  const there = loaded.state === "failed" ? undefined : loaded.value
  const [held, setHeld] = useState<Behind<Row, P>>(nothingBehind<Row, P>(undefined))
  // what was asked for behind another first page follows none of this one
  const behind = held.first === there ? held : nothingBehind<Row, P>(there)
  const change = (of: P, to: (before: Behind<Row, P>) => Partial<Behind<Row, P>>) =>
    setHeld((before) => {
      const own = before.first === of ? before : nothingBehind<Row, P>(of)
      return { ...own, ...to(own) }
    })

  // of which list the page is that is seen: where another one is on its way, the next page would be that one's
  const seen = useRef(name)
  if (loaded.state === "there") seen.current = name
  const now = useRef(there)
  now.current = there
  const [asked, setAsked] = useState<P>()
  const [isWanted, setWanted] = useState(false)

  const asking = useRef<P | undefined>(undefined)
  const next = async (of: P): Promise<void> => {
    // pressed twice it would show the same page twice
    if (asking.current === of) return
    asking.current = of
    setAsked(of)
    try {
      const page = await ask(session.value!, behind.next!, new AbortController().signal)
      if (now.current === of)
        change(of, ({ rows }) => ({ rows: [...rows, ...page.rows], next: page.next, problem: "" }))
    } catch (error) {
      const problem = failure(error)
      if (now.current === of) change(of, () => ({ problem }))
    } finally {
      if (asking.current === of) asking.current = undefined
      setAsked((before) => (before === of ? undefined : before))
    }
  }
  const isMoreAsked = isWanted || (asked !== undefined && asked === there)
  const isBusy = isMoreAsked || (loaded.state === "loading" && seen.current !== name)
  const more = () => {
    if (isBusy || there === undefined) return
    // its first page is on its way again: the next one is asked for behind that, or would go with this one
    if (loaded.state === "loading") setWanted(true)
    else void next(there)
  }
  useEffect(() => {
    if (!isWanted || loaded.state === "loading") return
    setWanted(false)
    if (loaded.state === "there" && behind.next !== null) void next(loaded.value)
  }, [isWanted, loaded])
  useEffect(() => setWanted(false), [name])

  const isFurther = behind.rows.length > 0 || isMoreAsked
  const without = useRef<Pages<Row, P>["without"]>(() => {})
  without.current = (gone) => {
    hasDone()
    if (isFurther && loaded.state === "there") change(loaded.value, (before) => ({ gone: [...before.gone, gone] }))
    else again()
  }
  const all = [...(there?.rows ?? []), ...behind.rows]
  return {
    first,
    rows: behind.gone.length === 0 ? all : all.filter((row) => !behind.gone.some((gone) => gone(row))),
    isFurther,
    more: behind.next === null ? undefined : more,
    isBusy,
    problem: behind.problem,
    without: (gone) => without.current(gone)
  }
}
