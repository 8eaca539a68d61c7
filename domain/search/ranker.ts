import type { Judge } from "./probability.ts"

// Written by `npm run eval -- --fit`.

/** Of tasks whose meaning could be read. */
export const byMeaning: Judge = {
  features: {
    words: 2.213,
    meaning: 14.5183,
    pieces: 14.6196,
    rarePieces: 7.1056,
    squaredPieces: -9.0188,
    hub: -9.8044,
    length: -1.2856,
    toldPieces: -5.0637,
    name: 1.3205
  },
  backdrop: -2.3053,
  signs: {
    strength: 0.1098,
    lead: 0.3589,
    share: 0.7157,
    words: -0.5681,
    meaning: 0.5822,
    covered: 0.7283,
    documents: -0.1936,
    fewness: -1.996,
    one: 0.244
  }
}

/** Of tasks of which nothing could be read. */
export const byWords: Judge = {
  features: {
    words: 17.4928
  },
  backdrop: 2.6115,
  signs: {
    lead: 0.1327,
    share: 0.9491,
    covered: 1.272,
    documents: -0.0966,
    fewness: -0.9642,
    one: 0.1241
  }
}
