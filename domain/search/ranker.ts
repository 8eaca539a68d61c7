import type { Judge } from "./probability.ts"

// Written by `npm run eval -- --fit`.

/** Of tasks whose meaning could be read. */
export const byMeaning: Judge = {
  features: {
    words: 2.744,
    meaning: 15.0404,
    pieces: 23.3753,
    rarePieces: 13.192,
    squaredPieces: -22.1058,
    hub: -9.9455,
    length: -1.4777,
    toldPieces: -5.2786,
    name: 1.2068
  },
  backdrop: -0.4329,
  signs: {
    strength: 0.1,
    lead: 0.3595,
    share: 0.6937,
    words: -0.6019,
    meaning: 0.7805,
    covered: 0.8289,
    documents: -0.2034,
    fewness: -2.2295,
    one: -0.0275
  }
}

/** Of tasks of which nothing could be read. */
export const byWords: Judge = {
  features: {
    words: 17.4559
  },
  backdrop: 2.606,
  signs: {
    lead: 0.1168,
    share: 0.9576,
    covered: 1.4436,
    documents: -0.0941,
    fewness: -0.7699,
    one: -0.0035
  }
}
