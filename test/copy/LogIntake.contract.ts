import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import { isAfter } from "#engine/Position.ts"
import { type CopiedEvent, type LogEngine, LogIntake, LogSource } from "#ports/LogCopy.ts"
import { compare } from "#src/audit/copy/compare.ts"
import { asOf, numbers, randomLog, sourceOf } from "./randomLog.ts"

/** Ends a process between two steps: what is counted, by `step`, dies when as many have come as were allowed. */
export interface Knife {
  /** Steps that are still allowed; `undefined`: any number. */
  left: number | undefined
}

/** What an adapter's test gives. */
export interface Intakes<E> {
  /**
   * Intakes on one store that is empty at first, and what was taken in as it is read: each time it is provided another
   * process's, which the knife ends.
   */
  readonly opened: (
    source: LogEngine,
    knife: Knife
  ) => Effect.Effect<Layer.Layer<LogIntake | LogSource, E>, E, import("effect").Scope.Scope>
}

const killed = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && String(Cause.squash(exit.cause)).includes("killed")

/** The contract of `LogIntake`, which each adapter's test is. */
export const contract = <E>(name: string, { opened }: Intakes<E>) => {
  /** Takes what a log has and the copy has not, by pages of random length. */
  const takeAll = (log: ReadonlyArray<CopiedEvent>, next: () => number) =>
    Effect.gen(function* () {
      const intake = yield* LogIntake
      const last = yield* intake.last
      for (
        let rest = log.filter(({ position }) => last === undefined || isAfter(position, last.position));
        rest.length > 0;
      ) {
        const count = 1 + Math.floor(next() * 9)
        yield* intake.take(rest.slice(0, count))
        rest = rest.slice(count)
      }
    })

  const equal = (log: ReadonlyArray<CopiedEvent>, source: LogEngine) =>
    Effect.gen(function* () {
      const found = yield* compare(sourceOf(log, source), yield* LogSource, new Map(), () => undefined)
      assert.deepStrictEqual(found.first, [])
      assert.strictEqual(found.events, log.length)
      assert.strictEqual(found.texts, log.filter(({ text }) => text !== null).length)
    })

  describe(`LogIntake: ${name}`, () => {
    for (const source of ["postgres", "kurrentdb"] as const) {
      describe(`a log that is in ${source}`, () => {
        for (const seed of ["one", "two", "three"]) {
          describe(seed, () => {
            it.live(
              "takes it as it was, while it grows and is erased in between",
              () =>
                Effect.gen(function* () {
                  const log = randomLog(`${source} ${seed}`, 120)
                  const next = numbers(`pages ${seed}`)
                  const open = yield* opened(source, { left: undefined })
                  for (const part of [0.3, 0.31, 0.8, 1]) {
                    const now = asOf(log, Math.ceil(log.length * part))
                    yield* Effect.provide(Effect.andThen(takeAll(now, next), equal(now, source)), open)
                  }
                  // nothing of it was the same text all along
                  assert.isAbove(
                    log.filter(({ text }) => text !== null).length,
                    asOf(log, log.length).filter(({ text }) => text !== null).length
                  )
                }),
              600_000
            )
          })
        }

        it.live(
          "is equal however often its process is killed, between any two steps",
          () =>
            Effect.gen(function* () {
              const log = randomLog(`killed ${source}`, 60)
              const knife: Knife = { left: undefined }
              const open = yield* opened(source, knife)
              const next = numbers("pages")
              let kills = 0
              for (let steps = 1; ; steps++) {
                // what was erased in the source meanwhile has no text any more
                const now = asOf(log, Math.min(log.length, 10 + 2 * steps))
                knife.left = undefined
                const exit = yield* Effect.gen(function* () {
                  const intake = yield* LogIntake
                  yield* intake.last
                  knife.left = (steps * 7) % 31
                  return yield* takeAll(now, next)
                }).pipe(Effect.provide(open), Effect.exit)
                knife.left = undefined
                if (killed(exit)) kills += 1
                else if (Exit.isFailure(exit)) return yield* exit
                if (!killed(exit) && now.length === log.length) break
                if (steps > 400) return yield* Effect.die(new Error("it never came to its end"))
              }
              assert.isAbove(kills, 5)
              yield* Effect.provide(equal(asOf(log, log.length), source), open)
            }),
          600_000
        )
      })
    }

    it.live("takes in no text of a subject that is erased already", () =>
      Effect.gen(function* () {
        const log = asOf(randomLog("already erased", 60), 1_000)
        const subjectOf = ({ data }: CopiedEvent) => (JSON.parse(data) as { readonly subject: string }).subject
        const erased = log.findIndex(({ tenant, erases }, at) =>
          log.slice(at + 1).some((one) => one.hasText && one.tenant === tenant && erases.includes(subjectOf(one)))
        )
        assert.isAtLeast(erased, 0)
        const [salt, bytes] = [Buffer.alloc(16, 1), Buffer.from('"read before it was erased"')]
        const before = log.map((event) =>
          event.hasText && event.text === null ? { ...event, text: { subject: subjectOf(event), salt, bytes } } : event
        )
        for (const source of ["postgres", "kurrentdb"] as const) {
          const open = yield* opened(source, { left: undefined })
          yield* Effect.gen(function* () {
            const intake = yield* LogIntake
            yield* intake.take(before.slice(0, erased + 1))
            // what was read of the source before it was erased there
            yield* intake.take(before.slice(erased + 1))
            yield* equal(log, source)
            const [tenant, [subject]] = [log[erased]!.tenant, log[erased]!.erases]
            assert.isTrue(yield* intake.isErased(tenant, subject!))
            assert.isFalse(yield* intake.isErased(tenant, "another"))
            assert.isFalse(yield* intake.isErased("another", subject!))
          }).pipe(Effect.provide(open))
        }
      })
    )

    it.live("leaves what is in already, and says how far it has come", () =>
      Effect.gen(function* () {
        const log = asOf(randomLog("again", 40), 1_000)
        const open = yield* opened("postgres", { left: undefined })
        yield* Effect.gen(function* () {
          const intake = yield* LogIntake
          assert.isUndefined(yield* intake.last)
          yield* intake.take(log.slice(0, 20))
          yield* intake.take(log.slice(0, 20))
          yield* intake.take(log.slice(10))
          const { position, stream, revision, eventId } = log.at(-1)!
          assert.deepStrictEqual(yield* intake.last, { position, stream, revision, eventId })
          yield* equal(log, "postgres")
        }).pipe(Effect.provide(open))
      })
    )
  })
}
