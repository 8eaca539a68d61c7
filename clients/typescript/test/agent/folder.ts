/** A program whose session has a cache folder at its end, which comes now, never, or as the program says. */
import { CacheFolder } from "../../src/agent/cacheFolder.ts"

if (process.argv[2] === "listens") process.on("SIGINT", () => process.stdout.write(" listened", () => process.exit()))
process.stdout.write(await new CacheFolder(undefined).make(process.cwd()))
if (process.argv[2] !== "now") setInterval(() => {}, 1_000)
