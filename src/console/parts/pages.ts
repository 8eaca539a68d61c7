import { useEffect, useRef, useState } from "preact/hooks"
import { type Loaded, useLoaded } from "../loading.ts"
import { failure, type Session, session } from "../session.ts"

/** A page of a list, and where the next one begins; `null`: there is none. */
export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

interface Pages<Row, P extends Page<Row>> {
  readonly first: readonly [Loaded<P>, () => void]
  readonly rows: ReadonlyArray<Row>
  /** Asks for the next page; `undefined`: there is none. */
  readonly more: (() => Promise<void>) | undefined
  readonly problem: string
}

/** A list page by page: the first one at once, a further one each time somebody asks. */
export const usePages = <Row, P extends Page<Row> = Page<Row>>(
  name: string | undefined,
  ask: (session: Session, cursor: string | undefined, signal: AbortSignal) => Promise<P>
): Pages<Row, P> => {
  const first = useLoaded(name, (open, signal) => ask(open, undefined, signal))
  const [further, setFurther] = useState<Page<Row>>({ rows: [], next: null })
  const [problem, setProblem] = useState("")
  const [loaded] = first
  const there = loaded.state === "failed" ? undefined : loaded.value
  useEffect(() => {
    setFurther({ rows: [], next: there?.next ?? null })
    setProblem("")
  }, [there])
  const asking = useRef(false)
  const now = useRef(there)
  now.current = there
  const more = async () => {
    // pressed twice it would show the same page twice
    if (asking.current) return
    asking.current = true
    try {
      const asked = there
      const { rows, next } = await ask(session.value!, further.next!, new AbortController().signal)
      // the list was asked for anew meanwhile: this page follows none of it
      if (now.current !== asked) return
      setFurther((before) => ({ rows: [...before.rows, ...rows], next }))
      setProblem("")
    } catch (error) {
      setProblem(failure(error))
    } finally {
      asking.current = false
    }
  }
  return {
    first,
    rows: [...(there?.rows ?? []), ...further.rows],
    more: further.next === null ? undefined : more,
    problem
  }
}
