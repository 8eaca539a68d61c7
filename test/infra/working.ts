import { readFileSync } from "node:fs"
import { work } from "#infra/workers/working.ts"

/** A worker whose jobs do what no job should. */
const attempt = (what: () => unknown) => {
  try {
    return String(what())
  } catch {
    return "refused"
  }
}

const hog = () => {
  const kept: Array<object> = []
  for (;;) kept.push({ n: kept.length })
}
const hogBeside = () => {
  const kept: Array<Uint8Array> = []
  for (;;) kept.push(new Uint8Array(16 * 1024 ** 2).fill(1))
}
const spin = () => {
  for (;;);
}
const sees = () => ({
  environment: Object.keys(process.env).filter((name) => process.env[name] !== undefined),
  passwords: attempt(() => readFileSync("/etc/passwd").length),
  project: attempt(() => readFileSync(new URL("../../README.md", import.meta.url)).length)
})
const die = () => process.exit(1)

work({
  echo: async () => (value: unknown) => value,
  pid: async () => () => process.pid,
  spin: async () => spin,
  hog: async () => hog,
  hogBeside: async () => hogBeside,
  sees: async () => sees,
  die: async () => die,
  fail: async () => (text: string) => {
    throw new Error(text)
  },
  flood: async () => () => Array.from({ length: 3_000_000 }, (_, n) => n)
})
