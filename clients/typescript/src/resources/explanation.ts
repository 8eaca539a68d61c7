/** Where something stands in a snippet; `tasks` are those that it was used for. */
export type ExplainedPlace = "name" | "description" | "tasks" | "source"

/** A stem of a word of the task that a match has. */
export interface ExplainedWord {
  /** The stem. */
  readonly word: string
  /** Where it stands. */
  readonly place: ExplainedPlace
  /** What it gives of `wordShare`. */
  readonly share: number
  /** The word of the task that was taken for it, where no snippet has that. */
  readonly asked: string | null
}

/** What in a match is nearest to a piece of the task. */
export interface NearestPiece {
  /** The piece of the task. */
  readonly asked: string
  /** What is nearest to it. */
  readonly found: string
  /** Where that stands. */
  readonly place: ExplainedPlace
  /** 0 to 1: how near. */
  readonly cosine: number
}

/** Something that moved a score. */
export interface ScoreEffect {
  /** What it is. */
  readonly value: number
  /** What it adds to the logarithm of the odds (`hub`: to the strength); 0 changes nothing. */
  readonly effect: number
}

/** What the length of a source adds to the strength of a match. */
export interface LengthEffect {
  /** How long it is. */
  readonly characters: number
  /** What that adds. */
  readonly effect: number
}

/** A task near to this one for which somebody voted on a match. */
export interface LearnedTask {
  /** `null` where it is somebody else's. */
  readonly task: string | null
  /** Voters who said that it helped. */
  readonly up: number
  /** Voters who said that it did not. */
  readonly down: number
  /** 0 to 1: how near it is to what was asked. */
  readonly nearness: number
}

/** What votes for tasks near to this one add to a score. */
export interface LearnedEffect {
  /** What they add to the logarithm of the odds; 0 changes nothing. */
  readonly effect: number
  /** The nearest first. */
  readonly tasks: ReadonlyArray<LearnedTask>
}

/** Why a match has its score. */
export interface Explanation {
  /** 0 to 1: how likely it is by words and meaning alone that it answers the task. */
  readonly probability: number
  /** 0 to 1: the share of the task's words that it has, by their rareness. */
  readonly wordShare: number
  /** Words that it has; the greatest share first. */
  readonly words: ReadonlyArray<ExplainedWord>
  /** Whose vectors say how near the meanings are: `table`, or the name of an embedding model. */
  readonly meaningBy: string
  /** 0 to 1: how near the meanings are. */
  readonly cosine: number
  /** The nearest first. */
  readonly nearest: ReadonlyArray<NearestPiece>
  /** Its votes. */
  readonly verdict: ScoreEffect
  /** How complete it looks; counts only with `preferComplete`. */
  readonly completeness: ScoreEffect
  /** Votes for tasks near to this one; `null` from a service that learns nothing from them. */
  readonly learned: LearnedEffect | null
  /** How near it is to everything, which tells against it. */
  readonly hub: ScoreEffect
  /** How long its source is. */
  readonly length: LengthEffect
}

export interface ExplanationWire extends Omit<Explanation, "wordShare" | "words" | "learned" | "meaningBy"> {
  readonly meaning_by?: string
  readonly word_share: number
  readonly words: ReadonlyArray<Omit<ExplainedWord, "asked"> & { readonly asked?: string }>
  readonly learned?: LearnedEffect
}

export const explanationOf = ({
  word_share: wordShare,
  meaning_by: meaningBy = "table",
  words,
  learned,
  ...wire
}: ExplanationWire): Explanation => ({
  ...wire,
  wordShare,
  meaningBy,
  words: words.map(({ asked = null, ...word }) => ({ ...word, asked })),
  learned: learned ?? null
})
