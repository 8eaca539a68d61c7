import { Context, Effect, Layer, type Scope } from "effect"
import type { Heard } from "#ports/LanguageModel.ts"

/** What a model says right now, in a turn that is not recorded yet. */
interface Speech {
  readonly turn: number
  readonly pieces: Array<string>
}

/** How much of a speech a listener has heard. */
export interface Ear {
  speech: Speech | undefined
  /** How many of its pieces were heard. */
  heard: number
  /** How long those are, in UTF-16 code units. */
  length: number
}

/** What a listener has not heard yet: text from an offset on, in UTF-16 code units; 0 is the beginning of a turn. */
export interface Words {
  readonly turn: number
  readonly offset: number
  readonly text: string
}

/**
 * What the models of this process's runs are saying, for listeners. Words are kept nowhere else: a recorded turn has
 * all of them, and of a run that another process carries only recorded turns are heard.
 */
export class Spoken extends Context.Service<
  Spoken,
  {
    /** A turn of a run begins: the function that this answers takes the turn's words. */
    readonly turn: (run: string, turn: number) => Heard
    /** The run's turn is recorded, or the run is over. */
    readonly silence: (run: string) => void
    /** Calls `wake` whenever there is more to hear of a run, as long as the scope lives. */
    readonly listen: (run: string, wake: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** What an ear has not heard yet; `undefined`: nothing. */
    readonly hear: (run: string, ear: Ear) => Words | undefined
  }
>()("cairn/Spoken") {
  static readonly layer = Layer.sync(Spoken, () => {
    const speeches = new Map<string, Speech>()
    const listeners = new Map<string, Set<() => void>>()
    return Spoken.of({
      turn: (run, turn) => {
        const speech: Speech = { turn, pieces: [] }
        speeches.set(run, speech)
        return (text) => {
          speech.pieces.push(text)
          for (const wake of listeners.get(run) ?? []) wake()
        }
      },
      silence: (run) => void speeches.delete(run),
      listen: (run, wake) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const all = listeners.get(run) ?? new Set()
            listeners.set(run, all.add(wake))
            return all
          }),
          (all) =>
            Effect.sync(() => {
              all.delete(wake)
              if (all.size === 0 && listeners.get(run) === all) listeners.delete(run)
            })
        ),
      hear: (run, ear) => {
        const speech = speeches.get(run)
        if (speech === undefined) return undefined
        if (ear.speech !== speech) Object.assign(ear, { speech, heard: 0, length: 0 })
        if (ear.heard === speech.pieces.length) return undefined
        const text = speech.pieces.slice(ear.heard).join("")
        const words = { turn: speech.turn, offset: ear.length, text }
        ear.heard = speech.pieces.length
        ear.length += text.length
        return words
      }
    })
  })
}
