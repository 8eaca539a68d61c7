import { readFileSync } from "node:fs"

interface Cases {
  readonly commands: {
    readonly always: ReadonlyArray<string>
    readonly alwaysRuns: string
    readonly worked: ReadonlyArray<readonly [command: string, paths: ReadonlyArray<string>]>
    readonly never: ReadonlyArray<string>
    readonly names: ReadonlyArray<readonly [command: string, paths: ReadonlyArray<string>]>
    readonly onlyGit: ReadonlyArray<string>
    readonly notOnlyGit: ReadonlyArray<string>
  }
  readonly ends: ReadonlyArray<readonly [succeeded: boolean, event: object, end: string]>
  readonly secrets: ReadonlyArray<string>
  readonly noSecrets: ReadonlyArray<string>
  readonly secretFiles: ReadonlyArray<string>
  readonly plainFiles: ReadonlyArray<string>
  readonly slow: ReadonlyArray<string>
  readonly hostileNames: ReadonlyArray<string>
  readonly plainNames: ReadonlyArray<string>
  readonly sameNames: ReadonlyArray<ReadonlyArray<string>>
}

const table = JSON.parse(readFileSync(new URL("../../../agentParity.json", import.meta.url), "utf8")) as Cases

/** The table writes no secret out: whoever looks for some in a repository would find them. */
const writtenOut = (text: string): string =>
  text
    .replace(/<(\d+)>/g, (_, count) => "aB3dE6gH9jK2mN5pQ8sT1vW4".repeat(20).slice(0, Number(count)))
    .replace(/<hex (\d+)>/g, (_, count) => "01".repeat(Number(count) / 2))

/** What sessions of both client libraries decide alike. */
export const cases: Cases = { ...table, secrets: table.secrets.map(writtenOut) }
