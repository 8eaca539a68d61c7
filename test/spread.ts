import { BaseSequencer, type TestSpecification } from "vitest/node"

/** What mostly waits, for servers and processes that it starts, stops and kills; the longest first. */
const waits = [
  ...["copy/killed", "infra/kurrent/", "infra/search/elastic/", "infra/postgres/serverFaults", "processes/"],
  ...["service/", "copy/", "e2e/", "backup/", "http/diskAway", "http/listener", "http/behind", "http/processes"],
  ...["killedErasure", "infra/models/", "infra/search/thread", "snapshot/thread", "mcp/stream", "postgres/launcher"]
].map((part) => `/test/${part}`)

const rank = ({ moduleId }: TestSpecification) => waits.findIndex((part) => moduleId.includes(part))

/** A file's place among others of its kind, from 0 to `end`. */
const placed = (files: ReadonlyArray<TestSpecification>, end: number) =>
  files.map((file, at) => ({ file, place: (at / files.length) * end }))

/**
 * Files that wait are spread among those that work, so that the processor has something to do from beginning to end. By
 * their size, which is what vitest goes by where it has not run them before, they would come last, and all at once.
 */
export class Spread extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    const waiting = sorted.filter((file) => rank(file) !== -1).sort((one, other) => rank(one) - rank(other))
    const working = sorted.filter((file) => rank(file) === -1)
    // all that wait have begun well before the end, where no work is left to be done meanwhile
    return [...placed(waiting, 0.6), ...placed(working, 1)]
      .sort((one, other) => one.place - other.place)
      .map(({ file }) => file)
  }
}
