import { createHash } from "node:crypto"
import { Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { beginning, isAfter, type Position, positionOf } from "#engine/Position.ts"
import { saltedDigest } from "#engine/saltedDigest.ts"
import type { CopiedEvent, LogEngine, LogSource } from "#ports/LogCopy.ts"

/** Numbers from 0 to 1 that a seed decides. */
export const numbers = (seed: string) => {
  let drawn = 0
  return (): number => {
    const digest = createHash("sha256").update(`${seed}/${drawn++}`).digest()
    return digest.readUInt32BE(0) / 2 ** 32
  }
}

const tenants = ["one", "two"]
const subjects = ["a", "b", "c", "d"]

/**
 * A log of so many commands: of few streams and subjects, so that they meet; texts of every length, some of which are
 * erased later. Each event has what was there of its text when it was appended.
 */
export const randomLog = (seed: string, commands: number): ReadonlyArray<CopiedEvent> => {
  const next = numbers(seed)
  const upTo = (count: number) => Math.floor(next() * count)
  const log: Array<CopiedEvent> = []
  const revisions = new Map<string, number>()
  const erased = new Set<string>()
  let recordedAt = 1_700_000_000_000
  for (let number = 0; number < commands; number++) {
    const tenant = tenants[upTo(tenants.length)]!
    const stream = `thing-${tenant}-${upTo(4)}`
    const commandId = derivedId(seed, number)
    recordedAt += upTo(3)
    for (let place = 0; place <= upTo(3); place++) {
      const revision = (revisions.get(stream) ?? -1) + 1
      revisions.set(stream, revision)
      const subject = subjects[upTo(subjects.length)]!
      const erases = next() < 0.08 ? [subject] : []
      for (const one of erases) erased.add(`${tenant}/${one}`)
      const hasText = next() < 0.5
      const salt = Buffer.from(derivedId(seed, "salt", log.length).replaceAll("-", ""), "hex")
      const bytes = Buffer.from(`"${"ä\\u0000".repeat(next() < 0.03 ? 100_000 : upTo(60))}"`)
      const data = hasText
        ? { n: upTo(9), subject, text: saltedDigest(salt, bytes) }
        : { lone: "\ud800", long: "x".repeat(next() < 0.05 ? 5_000 : 0) }
      log.push({
        position: positionOf(log.length + 1),
        tenant,
        stream,
        revision,
        eventId: derivedId(commandId, place),
        type: "Noted",
        schemaVersion: 1 + upTo(2),
        data: JSON.stringify(data),
        hasText,
        text: hasText && !erased.has(`${tenant}/${subject}`) ? { subject, salt, bytes } : null,
        digest: createHash("sha256").update(`${seed}/${log.length}`).digest(),
        actor: { key: next() < 0.5 ? "key" : null, user: "üser", organization: null },
        commandId,
        correlationId: derivedId(commandId, "correlation"),
        causationId: next() < 0.5 ? derivedId(commandId, "cause") : null,
        request: place === 0 && next() < 0.5 ? { digest: `d${number}`, n: upTo(2), fingerprint: null } : null,
        recordedAt,
        erases
      })
    }
  }
  return log
}

/**
 * The first events of a log as they are found when so many have happened: without the texts that were erased until
 * then.
 */
export const asOf = (log: ReadonlyArray<CopiedEvent>, count: number): ReadonlyArray<CopiedEvent> => {
  const happened = log.slice(0, count)
  const erased = new Set(happened.flatMap(({ tenant, erases }) => erases.map((subject) => `${tenant}/${subject}`)))
  return happened.map((event) =>
    event.text !== null && erased.has(`${event.tenant}/${event.text.subject}`) ? { ...event, text: null } : event
  )
}

/** A source in memory that has these events, in pages of so many. */
export const sourceOf = (
  log: ReadonlyArray<CopiedEvent>,
  engine: LogEngine = "postgres",
  page = 7
): LogSource["Service"] => ({
  engine,
  head: Effect.succeed(log.at(-1)?.position ?? beginning),
  page: (after: Position) =>
    Effect.sync(() => {
      const rest = log.filter(({ position }) => isAfter(position, after))
      const events = rest
        .slice(0, page)
        .map(({ erases: _, ...event }) => (engine === "postgres" ? event : { ...event, digest: null }))
      return { events, more: rest.length > page }
    }),
  find: (stream, revision) =>
    Effect.succeed(log.find((event) => event.stream === stream && event.revision === revision))
})
