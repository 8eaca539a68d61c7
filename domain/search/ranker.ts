import type { Judge } from "./Judge.ts"

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
    strength: 0.1083,
    lead: 0.3542,
    share: 0.641,
    words: -0.4652,
    meaning: 0.8138,
    covered: 0.6028,
    documents: -0.2334,
    fewness: -2.2156,
    one: 0.3394
  }
}

/** Of tasks of which nothing could be read. */
export const byWords: Judge = {
  features: {
    words: 17.4928
  },
  backdrop: 2.6115,
  signs: {
    lead: 0.1066,
    share: 0.9567,
    covered: 1.4905,
    documents: -0.1059,
    fewness: -0.7387,
    one: 0.0349
  }
}
