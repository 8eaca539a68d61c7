import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { layer } from "#infra/JustBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { emptyOverlay } from "#test/overlay.ts"
const cpu = () => { const s = readFileSync("/proc/self/stat", "utf8").split(" "); return (Number(s[13]) + Number(s[14])) * 10 }
const program = Effect.gen(function* () {
  const overlay = yield* emptyOverlay()
  const rand = (n: number) => Array.from({ length: n }, () => Math.random().toString(36)).join("\n")
  yield* overlay.writeFile("a", Buffer.from(rand(60000))); yield* overlay.writeFile("b", Buffer.from(rand(60000)))
  const shell = yield* Sandbox.use((s) => s.open(overlay))
  const A = "a".repeat(200)
  for (const c of [`[[ ${A}! =~ ^(a+)+$ ]]`, `expr ${A}! : '\\(a*\\)*b'`, `echo '"${A}!"' | jq 'test("^(a+)+$")'`, `echo ${A}! | awk '/^(a+)+$/'`, `x=${A}; echo \${x//*a*a*a*a*a*a*a*b/}`, `case ${A} in ${"*a".repeat(30)}b) echo y;; esac`, "echo {1..1000000000}", "echo $((2**1000000))", "printf '%1000000000s' x", "diff a b | tail -1", "sort a | uniq -c | tail -1", `echo ${A} | rg -P '(?=(a+)+)b'`, `find . -regex '\\(.*\\)*x'`, "join a b", "comm a b | wc -l", "paste a b | column -t | wc -l", `grep -P '(a+)+b' a; yq -n '[range(1000000000)]'`, "jq -n '[range(1000000000)] | length'", "jq -n 'reduce range(1000000000) as $i (0; .+1)'", "bash -c \"$(cat a)\"", "awk 'BEGIN{for(i=0;i<1e9;i++) x=x}'", "sed ':a;s/x/x/;ba' a", "xargs -n1 echo < a | wc -l"]) {
    const t = performance.now(); const r = yield* shell.exec(c, { timeout: 4000, output: 120 }); const took = Math.round(performance.now() - t)
    const c0 = cpu(); yield* Effect.sleep(r.exit === 124 ? 3000 : 0)
    console.log(c.slice(0, 60), "->", r.exit, JSON.stringify(r.stdout.slice(0, 40) + r.stderr.slice(0, 80)), took, "ms", r.exit === 124 ? `cpu in 3 s after: ${cpu() - c0}` : "")
  }
}).pipe(Effect.scoped, Effect.provide(layer))
await Effect.runPromise(program)
process.exit()
