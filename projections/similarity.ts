/**
 * SQL for `similarity` of `domain/search/taskTerms.ts` between a row's column `terms` and a parameter, both `text[]`.
 */
export const similaritySql = (parameter: string): string =>
  `(2.0 * (SELECT count(*) FROM unnest(terms) term WHERE term = ANY (${parameter}::text[]))
    / greatest(1, cardinality(terms) + cardinality(${parameter}::text[])))::float8`
