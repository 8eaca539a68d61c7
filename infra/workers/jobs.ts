import type { Jobs } from "#ports/Workers.ts"

type Work = { readonly [Name in keyof Jobs]: () => Promise<(...args: Parameters<Jobs[Name]>) => unknown> }

/** Where each job's code is. It is loaded when the first job of its kind comes. */
export const jobs: Work = {
  analyse: async () => (await import("../analysis/treeSitter/job.ts")).analyse,
  scanForSecrets: async () => (await import("../analysis/secretRules/job.ts")).scanForSecrets,
  analyseAsText: async () => (await import("../analysis/treeSitter/job.ts")).analyseAsText,
  analyseRepository: async () => (await import("../analysis/treeSitter/repository.ts")).analyseRepository,
  hunksOfBytes: async () => (await import("../git/diff/hunks.ts")).hunksOfBytes,
  matchingPaths: async () => (await import("#domain/glob.ts")).matchingPaths,
  numberedLines: async () => (await import("#domain/textFile.ts")).numberedLines,
  replaced: async () => (await import("#domain/textFile.ts")).replaced
}
