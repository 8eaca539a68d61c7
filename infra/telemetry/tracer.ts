import { Cause, Exit, Option, Tracer } from "effect"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"

/**
 * What a span may tell: which route, status, statement, model, and ids. Not the URL, its query, the host's name or the
 * user agent, which callers write.
 */
const told =
  /^(?:http\.request\.method|http\.route|http\.response\.status_code|db\.system(?:\.name)?|db\.operation\.name|db\.query\.text|gen_ai\.[\w.]+|cairn\.[\w.]+|error\.type)$/

/** Characters of a statement. */
const longest = 300

/** A failure without its words, which may quote what a caller wrote or a key. */
const nameless = (name: string): Error => Object.assign(new Error(name), { name, stack: name })

const nameOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error) return String(error._tag)
  return error instanceof Error ? error.name : typeof error
}

const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
    ? exit
    : Exit.die(nameless(nameOf(Cause.squash(exit.cause))))

const discreet = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (told.test(key)) attribute(key, typeof value === "string" ? value.slice(0, longest) : value)
    },
    event: () => {},
    end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => {
      const method = span.attributes.get("http.request.method")
      const route = span.attributes.get("http.route")
      // its route is known only now: a server's span is called by it (semantic conventions for HTTP)
      if (span.kind === "server" && typeof method === "string")
        Object.assign(span, { name: typeof route === "string" ? `${method} ${route}` : method })
      end(at, withoutWords(exit))
    }
  })
}

/**
 * Samples traces, and lets none say what a caller wrote. A trace begins with a request or with a run; what is done
 * besides (reading the log each second, say) is in none.
 */
export const discreetly = (
  inner: Tracer.Tracer,
  { byParent, ratio }: TelemetrySettings["sampling"],
  random: () => number = Math.random
): Tracer.Tracer => {
  const begins = ({ kind, parent }: Parameters<Tracer.Tracer["span"]>[0]) => {
    const from = Option.getOrUndefined(parent)
    if (from === undefined) return (kind === "server" || kind === "consumer") && random() < ratio
    if (from._tag === "ExternalSpan" && !byParent) return random() < ratio
    return from.sampled
  }
  return Tracer.make({
    span: (options) =>
      begins(options)
        ? discreet(inner.span({ ...options, sampled: true }))
        : Tracer.nativeTracer.span({ ...options, sampled: false })
  })
}
