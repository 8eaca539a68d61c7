import { type Draw, drawing } from "./draw.ts"
import { lines, tokens } from "./kinds.ts"
import { keyKinds, keyOf, writings } from "./privateKeys.ts"

/** How one value comes to stand in code. */
const surroundings: ReadonlyArray<(value: string, draw: Draw) => string> = [
  (value) => `import os\n\nclient = connect("${value}")\n`,
  (value) => `export const settings = { retries: 3, value: '${value}' }\n`,
  (value) => `VALUE=${value}\n`,
  (value) => `settings:\n  value: ${value}\n`,
  (value) => `# used by the nightly job: ${value}\ndef run():\n    return 1\n`,
  (value) => `{\n  "name": "x",\n  "value": "${value}"\n}\n`
]

export const samplesOfKind = 60

export interface Sample {
  readonly path: string
  readonly text: string
}

const samples = (kind: string, make: (draw: Draw, n: number) => Sample) =>
  [kind, Array.from({ length: samplesOfKind }, (_, n) => make(drawing(`${kind}/${n}`), n))] as const

/** Texts with a secret, 60 of each kind. */
export const secrets = (): ReadonlyArray<readonly [string, ReadonlyArray<Sample>]> => [
  ...Object.entries(tokens).map(([kind, make]) =>
    samples(kind, (draw, n) => ({ path: "a.py", text: surroundings[n % surroundings.length]!(make(draw), draw) }))
  ),
  ...Object.entries(lines).map(([kind, make]) =>
    samples(kind, (draw, n) => ({
      path: kind.startsWith("kubernetes") || kind.startsWith("yaml") ? "a.yaml" : "a.txt",
      text: `${"\n".repeat(n % 3)}${make(draw)}\n`
    }))
  ),
  ...keyKinds.map((kind) =>
    samples(`private key: ${kind}`, (draw, n) => {
      const written = kind.startsWith("DER") || kind === "JWK" ? writings.slice(0, 3) : writings
      return { path: "a.txt", text: `x = 1\n${written[n % written.length]!(keyOf(kind, draw))}` }
    })
  )
]
