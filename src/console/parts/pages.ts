import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { hasDone } from "../live/steady.ts"
import { type Loaded, useLoaded } from "../loading.ts"
import { failure, type Session, session } from "../session.ts"

/** A page of a list, and the cursor of the next one; `null`: there is none. */
export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

/** A list page by page. */
export interface Pages<Row, P extends Page<Row> = Page<Row>> {
  readonly first: readonly [Loaded<P>, () => void]
  readonly rows: ReadonlyArray<Row>
  /** Whether the reader has gone further than the first page, or is about to. */
  readonly isFurther: boolean
  /** Loads the next page; `undefined`: there is none. */
  readonly more: (() => void) | undefined
  /** Whether the next page is on its way, or a list of another name. */
  readonly isBusy: boolean
  readonly problem: string
  /** Takes away rows that the reader has removed. A reader who has gone further stays where they are. */
  readonly without: (gone: (row: Row) => boolean) => void
  /** Loads the list again after the reader has changed a row. Who has gone further stays where they are. */
  readonly renew: () => void
}

/** The pages behind a first page, and the rows that were removed. */
interface Behind<Row, P> {
  readonly first: P | undefined
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
  readonly gone: ReadonlyArray<(row: Row) => boolean>
}

const nothingBehind = <Row, P extends Page<Row>>(first: P | undefined): Behind<Row, P> => ({
  first,
  rows: [],
  next: first?.next ?? null,
  gone: []
})

/** A list page by page: the first page at once, a further one each time that somebody asks. */
export const usePages = <Row, P extends Page<Row> = Page<Row>>(
  name: string | undefined,
  ask: (session: Session, cursor: string | undefined, signal: AbortSignal) => Promise<P>
): Pages<Row, P> => {
  const first = useLoaded(name, (open, signal) => ask(open, undefined, signal), { isKept: true })
  const [loaded, again] = first
  const there = loaded.value
  const [held, setHeld] = useState<Behind<Row, P>>(nothingBehind<Row, P>(undefined))
  // pages that followed another first page do not follow this one
  const behind = held.first === there ? held : nothingBehind<Row, P>(there)
  const change = (of: P, to: (before: Behind<Row, P>) => Partial<Behind<Row, P>>) =>
    setHeld((before) => {
      const own = before.first === of ? before : nothingBehind<Row, P>(of)
      return { ...own, ...to(own) }
    })

  // the list whose page is seen: if another one is on its way, the next page would be of that one
  const seen = useRef(name)
  if (loaded.state === "there") seen.current = name
  const isComing = loaded.state === "loading"
  // a list that is left and come back to is another one
  const list = useMemo(() => ({ name }), [name])
  const now = useRef({ list, loaded })
  now.current = { list, loaded }
  // of a list, and not of its first page: if that is loaded anew by itself, the reader still has to read it
  const [failed, setFailed] = useState({ of: list, problem: "" })
  const [asked, setAsked] = useState<P>()
  const [isWanted, setWanted] = useState(false)

  const asking = useRef<P | undefined>(undefined)
  const next = async (of: P): Promise<void> => {
    // pressed twice, it would show the same page twice
    if (asking.current === of) return
    asking.current = of
    setAsked(of)
    const come = (problem: string, page?: P) => {
      if (now.current.list !== list) return
      const first = now.current.loaded
      // the first page was asked for again in the same moment: this one follows the old one, and would go with it
      if (first.state === "loading" || first.value !== of) return setWanted(true)
      setFailed({ of: list, problem })
      if (page !== undefined) change(of, ({ rows }) => ({ rows: [...rows, ...page.rows], next: page.next }))
    }
    try {
      come("", await ask(session.value!, behind.next!, new AbortController().signal))
    } catch (error) {
      come(failure(error))
    } finally {
      if (asking.current === of) asking.current = undefined
      setAsked((before) => (before === of ? undefined : before))
    }
  }
  const isMoreAsked = isWanted || (asked !== undefined && asked === there)
  const isBusy = isMoreAsked || (isComing && seen.current !== name)
  const more = () => {
    if (isBusy || there === undefined) return
    // the first page is on its way again: the next page is loaded behind it, or it would be dropped with the old one
    if (isComing) setWanted(true)
    else void next(there)
  }
  useEffect(() => {
    if (!isWanted || isComing) return
    setWanted(false)
    if (there !== undefined && behind.next !== null) void next(there)
  }, [isWanted, loaded])
  useEffect(() => setWanted(false), [name])

  const isFurther = behind.rows.length > 0 || isMoreAsked
  const without = useRef<Pages<Row, P>["without"]>(() => {})
  without.current = (gone) => {
    hasDone()
    if (isFurther && !isComing && there !== undefined) change(there, (before) => ({ gone: [...before.gone, gone] }))
    else again()
  }
  const renew = useRef(() => {})
  renew.current = () => {
    hasDone()
    if (!isFurther) again()
  }
  const all = [...(there?.rows ?? []), ...behind.rows]
  return {
    first,
    rows: behind.gone.length === 0 ? all : all.filter((row) => !behind.gone.some((gone) => gone(row))),
    isFurther,
    more: behind.next === null ? undefined : more,
    isBusy,
    problem: behind.next !== null && failed.of === list ? failed.problem : "",
    without: (gone) => without.current(gone),
    renew: () => renew.current()
  }
}
