import { readFileSync, writeSync } from "node:fs"
import { Effect } from "effect"
import { Index } from "#infra/search/memory/Index.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { write } from "#infra/search/memory/snapshot/file.ts"
import { type Frame, FrameReader } from "#infra/search/memory/snapshot/frames.ts"
import { framesOf, headIn } from "#infra/search/memory/snapshot/image.ts"
import { fileIn } from "./kept.ts"
import { snippets } from "./several.ts"

// writing.ts FOLDER FRAME: writes a snapshot of many snippets over the one there, says so before that frame, and waits
// there for its end.

const [, , directory = "", last] = process.argv
const path = fileIn(directory)
const index = new Index(128, comparing)
for (const snippet of snippets(6_000)) index.put(snippet)

const before = readFileSync(path)
const { value: first } = new FrameReader(before.length).read(before).next()
const head = { ...headIn(first as Frame), position: 8, event: "event 8", documents: index.size }

function* upTo(frames: Iterable<Frame>): Generator<Frame> {
  let at = 0
  for (const frame of frames) {
    if (at++ === Number(last)) {
      writeSync(1, "there\n")
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    yield frame
  }
}

await Effect.runPromise(write(path, upTo(framesOf(head, index)), () => false))
