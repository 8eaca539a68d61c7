import { Cause, Exit, Tracer } from "effect"

/**
 * What a span may tell: which route, status, statement, model, and ids. Not the URL, its query, the host's name or the
 * user agent, which callers write.
 */
const told =
  /^(?:http\.request\.method|http\.route|http\.response\.status_code|db\.system(?:\.name)?|db\.operation\.name|db\.query\.text|gen_ai\.[\w.]+|cairn\.[\w.]+|error\.type)$/

/** The most characters of an attribute, such as a statement. */
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

/** A request that was answered 5xx has failed, however the answer came about (semantic conventions for HTTP). */
const answeredWith = (status: unknown, exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) && typeof status === "number" && status >= 500 ? Exit.die(nameless(String(status))) : exit

const discreet = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (told.test(key)) attribute(key, typeof value === "string" ? value.slice(0, longest) : value)
    },
    event: () => {},
    end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => {
      const { kind, attributes } = span
      if (kind !== "server") return end(at, withoutWords(exit))
      const method = attributes.get("http.request.method")
      const route = attributes.get("http.route")
      // the route is known only now, and names a server's span
      if (typeof method === "string")
        Object.assign(span, { name: typeof route === "string" ? `${method} ${route}` : method })
      end(at, answeredWith(attributes.get("http.response.status_code"), withoutWords(exit)))
    }
  })
}

/** Lets no span say what a caller wrote. */
export const discreetly = (inner: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({ span: (options) => discreet(inner.span(options)) })
