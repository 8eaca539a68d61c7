import { execSync } from "node:child_process"
import { Effect } from "effect"
import { layer } from "#infra/JustBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { emptyOverlay } from "#test/overlay.ts"
const mb = () => Math.round(process.memoryUsage().rss / 1e6)
const kids = () => execSync(`ps -o pid,rss,ni,args --ppid ${process.pid} | cut -c1-150`).toString()
const program = Effect.gen(function* () {
  const overlay = yield* emptyOverlay()
  const starts = []
  for (let i = 0; i < 5; i++) { const t = performance.now(); yield* Effect.scoped(Effect.gen(function* () { const s = yield* Sandbox.use((s) => s.open(overlay)); yield* s.exec("true") })); starts.push(Math.round(performance.now() - t)) }
  console.log("cold open+exec", starts, "rss", mb())
  let t = performance.now()
  const shell = yield* Sandbox.use((s) => s.open(overlay))
  yield* shell.exec("true"); console.log(kids())
  t = performance.now(); for (let i = 0; i < 200; i++) yield* shell.exec("true"); console.log("exec true", (performance.now() - t) / 200)
  yield* shell.exec("echo x > f")
  t = performance.now(); yield* shell.exec("for i in $(seq 1000); do [ -e f ]; done"); const a = performance.now() - t; t = performance.now(); yield* shell.exec("for i in $(seq 1000); do [ -e /tmp ]; done"); console.log("per stat call", (a - (performance.now() - t)) / 1000)
  t = performance.now(); yield* shell.exec("for i in $(seq 1000); do echo $i > f$i.txt; done"); console.log("1000 writes", performance.now() - t)
  t = performance.now(); console.log((yield* shell.exec("grep -rl 77 . | wc -l")).stdout.trim(), "grep 1000 files", performance.now() - t)
  t = performance.now(); console.log((yield* shell.exec("find . -type f | wc -l")).stdout.trim(), "find", performance.now() - t)
  t = performance.now(); console.log((yield* shell.exec("ls -la | wc -l")).stdout.trim(), "ls -la", performance.now() - t)
  yield* overlay.writeFile("big.bin", new Uint8Array(20e6).fill(97))
  t = performance.now(); console.log((yield* shell.exec("wc -c big.bin; cp big.bin big2.bin; ls -l big2.bin")), "20 MB", performance.now() - t)
  console.log("rss", mb(), kids())
}).pipe(Effect.scoped, Effect.provide(layer))
await Effect.runPromise(program)
console.log("after", kids())
