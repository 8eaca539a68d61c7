import { fields } from "#domain/search/IndexedText.ts"

/** Of the mapping below and of what stands in its documents: raised with any change, so that all is indexed anew. */
export const mappingVersion = 5

/** The document that says how far an index has come. No snippet's id: those have a home. */
export const checkpointId = "checkpoint"

/** Kept for who changes votes; neither searched nor counted. */
const kept = { type: "keyword", index: false, doc_values: false }

const filtered = { type: "keyword", doc_values: false }

/** Settings and mapping of an index whose vectors have so many numbers. */
export const definition = (dimensions: number, meta: object) => ({
  settings: {
    number_of_shards: 1,
    auto_expand_replicas: "0-1",
    // who searches asks for one, when there is something new
    refresh_interval: "-1",
    // so long a late write of something older is known to be one; later ones are told by the checkpoint
    "index.gc_deletes": "24h",
    "index.merge.policy.expunge_deletes_allowed": 0
  },
  mappings: {
    dynamic: "strict",
    _meta: meta,
    // the rest is made of `kept` again, when votes change
    _source: { excludes: ["words", "shelves", "terms", "pieces", "vector", "packed"] },
    properties: {
      // our own terms, each a word: nothing is cut any further
      words: { type: "text", analyzer: "whitespace", index_options: "freqs" },
      shelves: filtered,
      terms: filtered,
      pieces: filtered,
      // without a graph, which each merge would build anew: all that a search may see are compared
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
      // of the checkpoint alone
      checkpoint: { type: "object", enabled: false }
    }
  }
})
