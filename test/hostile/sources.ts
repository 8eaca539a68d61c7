import { type Attack, answered } from "./Attack.ts"

/** Sources that were made to keep a grammar, or what reads its tree, busy. They are stored all the same. */
const sources: { readonly [name: string]: readonly [path: string, source: string] } = {
  "C++: template names that nest": ["a.cpp", "a<b>::".repeat(2_700)],
  "C++: casts in front of casts": ["a.cpp", "(a)*".repeat(4_000)],
  "Python: brackets": ["a.py", `x = ${"(".repeat(50_000)}${")".repeat(50_000)}`],
  "Python: one token of a megabyte": ["a.py", "a".repeat(900_000)],
  "Python: 40,000 functions": ["a.py", "def f():\n  pass\n".repeat(40_000)],
  "Python: functions in functions": [
    "a.py",
    Array.from({ length: 400 }, (_, n) => `${" ".repeat(n)}def f${n}(a):\n`).join("")
  ],
  "Ruby: here-documents": ["a.rb", "<<A,".repeat(50_000)],
  "shell: substitutions in each other": ["a.sh", "$(".repeat(100_000)],
  "TypeScript: comparisons that may be type arguments": ["a.ts", "a<".repeat(100_000)],
  "no language at all": ["a", "(".repeat(500_000)]
}

const stored = ([path, content]: readonly [string, string]): Attack["run"] =>
  async function run({ call }) {
    const body = { task: `read ${path}`, succeeded: true, file_written: { path, content } }
    answered(await call("POST", "/api/store/execution-result", body), 200)
  }

const manifest = JSON.stringify({ name: "a", scripts: "x".repeat(80_000) })

export const hostileSources: ReadonlyArray<Attack> = [
  ...Object.entries(sources).map(([name, source]) => ({ name, run: stored(source) })),
  {
    name: "a repository of 190 manifests and a readme of headings",
    run: async ({ call }) => {
      const manifests = Array.from({ length: 190 }, (_, n) => ({ path: `p${n}/package.json`, content: manifest }))
      const files = [...manifests, { path: "README.md", content: "# \n".repeat(300_000) }]
      answered(await call("POST", "/api/store/repo", { task: "a repository of manifests", files }), 200)
    }
  }
]
