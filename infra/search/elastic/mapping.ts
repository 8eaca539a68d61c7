import { fields } from "#domain/search/IndexedText.ts"

/** The version of the mapping below and of its documents. Any change raises it, so that all is indexed anew. */
export const mappingVersion = 5

/** The document that says how far an index has come. It is no snippet's id: those have a home. */
export const checkpointId = "checkpoint"

/** Kept for changes of votes; neither searched nor counted. */
const kept = { type: "keyword", index: false, doc_values: false }

const filtered = { type: "keyword", doc_values: false }

/** Settings and mapping of an index whose vectors have this many numbers. */
export const definition = (dimensions: number, meta: object) => ({
  settings: {
    number_of_shards: 1,
    auto_expand_replicas: "0-1",
    // a search asks for a refresh when there is something new
    refresh_interval: "-1",
    // for this long, a late write of something older is recognised; after that, by the checkpoint
    "index.gc_deletes": "24h",
    "index.merge.policy.expunge_deletes_allowed": 0
  },
  mappings: {
    dynamic: "strict",
    _meta: meta,
    // when votes change, the rest is made again from `kept`
    _source: { excludes: ["words", "shelves", "terms", "pieces", "vector", "packed"] },
    properties: {
      // our own terms, each a word, are not cut any further
      words: { type: "text", analyzer: "whitespace", index_options: "freqs" },
      shelves: filtered,
      terms: filtered,
      pieces: filtered,
      // no graph, which each merge would build anew: all vectors that a search may see are compared
      vector: { type: "dense_vector", dims: dimensions, similarity: "cosine", index_options: { type: "int8_flat" } },
      lengths: { properties: Object.fromEntries(fields.map((field) => [field, { type: "integer", index: false }])) },
      packed: { type: "binary", doc_values: true },
      home: kept,
      isPublic: { type: "boolean", index: false, doc_values: false },
      agent: { ...filtered, doc_values: true },
      kind: filtered,
      language: filtered,
      verdict: { type: "double" },
      humanUp: { type: "long" },
      kept: { type: "object", enabled: false },
      // only in the checkpoint
      checkpoint: { type: "object", enabled: false }
    }
  }
})
