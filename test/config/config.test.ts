import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { BadConfig } from "#src/config/BadConfig.ts"
import { readConfig } from "#src/config/config.ts"
import { secrets } from "#src/config/secrets.ts"
import { nameIn, namesOf } from "#src/http/guard/hosts.ts"

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    assert.instanceOf(error, BadConfig)
    return (error as BadConfig).message
  }
  return assert.fail(`taken: ${JSON.stringify(environment)}`)
}

/** The least that names an embedding model. */
const embedded = {
  CAIRN_EMBEDDINGS_URL: "https://models.example.com/v1",
  CAIRN_EMBEDDINGS_MODEL: "some-model",
  CAIRN_EMBEDDINGS_DIMENSIONS: "384"
}

describe("the configuration", () => {
  it("keeps texts for as many days as it is told", () => {
    assert.deepStrictEqual(readConfig({}).retention, { searches: 90, executions: undefined, logs: undefined })
    const told = { CAIRN_RETENTION_SEARCHES: "off", CAIRN_RETENTION_EXECUTIONS: "30", CAIRN_RETENTION_LOGS: "7" }
    assert.deepStrictEqual(readConfig(told).retention, { searches: undefined, executions: 30, logs: 7 })
    for (const name of Object.keys(told))
      for (const days of ["0", "-1", "1.5", "3651", "90d", "never"])
        assert.include(refusal({ [name]: days }), `${name} is wrong: expected off, or a number of days from 1 to 3650`)
  })

  it("trusts no proxy and knows no host unless told", () => {
    const { trustedProxies, allowedHosts } = readConfig({ CAIRN_TRUSTED_PROXIES: " ", CAIRN_ALLOWED_HOSTS: "" })
    assert.deepStrictEqual([trustedProxies, allowedHosts], [[], []])
  })

  it("takes addresses and networks as trusted proxies, and refuses what is neither", () => {
    const { trustedProxies } = readConfig({ CAIRN_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,::1,2001:db8::/32," })
    const written = ["127.0.0.1/32", "10.0.0.0/8", "::1/128", "2001:db8::/32"]
    assert.deepStrictEqual(trustedProxies.map(IpNetwork.format), written)
    for (const wrong of ["localhost", "10.0.0.0/33", "10.0.0", "*", "true", "1.2.3.4 5.6.7.8"]) {
      assert.include(refusal({ CAIRN_TRUSTED_PROXIES: wrong }), "CAIRN_TRUSTED_PROXIES is wrong")
    }
  })

  describe("of an embedding model", () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-weights-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const weightsIn = (text: string) => {
      const path = join(folder, `${readdirSync(folder).length}.json`)
      writeFileSync(path, text)
      return { ...embedded, CAIRN_EMBEDDINGS_WEIGHTS: path }
    }

    it("has none unless told, and then needs its URL, its name and its width", () => {
      assert.isUndefined(readConfig({}).embeddings)
      assert.deepStrictEqual(readConfig(embedded).embeddings, {
        url: "https://models.example.com/v1",
        model: "some-model",
        apiKey: undefined,
        dimensions: 384,
        prefixes: { document: "", query: "" },
        weights: undefined
      })
      for (const name of Object.keys(embedded)) assert.include(refusal({ ...embedded, [name]: "" }), `${name} is wrong`)
      for (const name of ["API_KEY", "WEIGHTS", "QUERY_PREFIX"])
        assert.include(refusal({ [`CAIRN_EMBEDDINGS_${name}`]: "x" }), `since there is CAIRN_EMBEDDINGS_${name}`)
    })

    it("takes the whole route for its URL, and puts a space behind a prefix", () => {
      const { url, prefixes } = readConfig({
        ...embedded,
        CAIRN_EMBEDDINGS_URL: "http://127.0.0.1:8081/v1/embeddings/",
        CAIRN_EMBEDDINGS_QUERY_PREFIX: "query:",
        CAIRN_EMBEDDINGS_DOCUMENT_PREFIX: "passage: "
      }).embeddings!
      assert.deepStrictEqual([url, prefixes], ["http://127.0.0.1:8081/v1", { query: "query: ", document: "passage: " }])
    })

    it("refuses what can't be, and quotes nothing of it", () => {
      for (const url of [
        "models",
        "ftp://models/v1",
        "https://me:hunter2@models/v1",
        "https://models/v1?key=hunter2"
      ]) {
        const said = refusal({ ...embedded, CAIRN_EMBEDDINGS_URL: url })
        assert.include(said, "CAIRN_EMBEDDINGS_URL is wrong: expected a URL like")
        assert.notInclude(said, "hunter2")
      }
      for (const width of ["0", "-1", "4097", "1e3", "many"])
        assert.include(refusal({ ...embedded, CAIRN_EMBEDDINGS_DIMENSIONS: width }), "from 1 to 4096")
      assert.strictEqual(readConfig({ ...embedded, CAIRN_EMBEDDINGS_DIMENSIONS: "4096" }).embeddings?.dimensions, 4_096)
      assert.include(
        refusal({ ...embedded, ELASTICSEARCH_URL: "http://search:9200" }),
        "CAIRN_EMBEDDINGS_URL is wrong: expected none, since there is ELASTICSEARCH_URL"
      )
    })

    it("takes weights from a file that a fit wrote, and no other", () => {
      const weights = {
        low: 0.1,
        high: 0.9,
        meaning: 0.8,
        judge: { features: { words: 1 }, backdrop: 0, signs: { one: 2 } }
      }
      assert.deepStrictEqual(readConfig(weightsIn(JSON.stringify(weights))).embeddings?.weights, weights)
      for (const wrong of [
        "",
        "[]",
        "<html>",
        JSON.stringify({ ...weights, low: 0.9 }),
        JSON.stringify({ ...weights, low: -0.1 }),
        JSON.stringify({ ...weights, meaning: 2 }),
        JSON.stringify({ ...weights, judge: { ...weights.judge, features: { wrods: 1 } } }),
        JSON.stringify({ ...weights, judge: { ...weights.judge, signs: { one: null } } })
      ])
        assert.include(refusal(weightsIn(wrong)), "CAIRN_EMBEDDINGS_WEIGHTS is wrong: expected a file that")
      assert.include(refusal({ ...embedded, CAIRN_EMBEDDINGS_WEIGHTS: join(folder, "none") }), "ENOENT")
    })
  })

  it("lets a read wait a second, or as many milliseconds as it is told", () => {
    assert.strictEqual(readConfig({}).readPatience, 1_000)
    assert.strictEqual(readConfig({ CAIRN_READ_PATIENCE_MS: "0" }).readPatience, 0)
    for (const wrong of ["1s", "-1", "60001", "1e3"]) {
      assert.include(refusal({ CAIRN_READ_PATIENCE_MS: wrong }), "CAIRN_READ_PATIENCE_MS is wrong")
    }
  })

  it("lets workers rest for ten minutes, or as many seconds as it is told", () => {
    assert.strictEqual(readConfig({}).workersIdle, 600_000)
    assert.strictEqual(readConfig({ CAIRN_WORKERS_IDLE_S: "1" }).workersIdle, 1_000)
    for (const wrong of ["0", "-1", "86401", "10m", "1.5"]) {
      assert.include(refusal({ CAIRN_WORKERS_IDLE_S: wrong }), "CAIRN_WORKERS_IDLE_S is wrong")
    }
  })

  it("keeps room free on disks as it is told: so much, and a quarter more before it goes on, or two bounds", () => {
    const mebibytes = (text: string) => {
      const reserve = readConfig({ CAIRN_DISK_RESERVE: text }).diskReserve
      return typeof reserve === "object" ? [reserve.refuse / 1024 ** 2, reserve.resume / 1024 ** 2] : reserve
    }
    assert.deepStrictEqual(["", "off", "400", "400,400", "64, 1000"].map(mebibytes), [
      ...[undefined, "off"],
      ...[
        [400, 500],
        [400, 400],
        [64, 1000]
      ]
    ])
    for (const wrong of ["0", "-1", "5%", "512,511", "1e3", "512,", "512,640,700", "on"]) {
      assert.include(refusal({ CAIRN_DISK_RESERVE: wrong }), "CAIRN_DISK_RESERVE is wrong")
    }
  })

  it("takes rates of the classes that there are, and no name that every object has", () => {
    for (const wrong of [
      "toString=5",
      "constructor=5",
      "__proto__=5",
      "chats=5",
      "chat",
      "chat=0",
      "chat=1e3",
      "off,chat=1"
    ])
      assert.include(refusal({ CAIRN_RATE_LIMITS: wrong }), "CAIRN_RATE_LIMITS is wrong")
  })

  it("takes a KurrentDB's URL as a secret, and refuses what is none without showing it", () => {
    const url = "kurrentdb+discover://user:secret@one:2113,two:2113?tls=true"
    const { kurrentdbUrl } = readConfig({ KURRENTDB_URL: url })
    assert.strictEqual(kurrentdbUrl && Redacted.value(kurrentdbUrl), url)
    assert.notInclude(String(kurrentdbUrl), "secret")
    for (const wrong of ["one:2113", "http://user:secret@one:2113", "kurrentdb://user:sec ret@one"]) {
      const said = refusal({ KURRENTDB_URL: wrong })
      assert.include(said, "KURRENTDB_URL is wrong")
      assert.notMatch(said, /sec/)
    }
  })

  it("has sixteen connections to a database, or as many as it is told", () => {
    assert.strictEqual(readConfig({}).databaseConnections, 16)
    for (const few of ["6", "40"])
      assert.strictEqual(readConfig({ CAIRN_DATABASE_CONNECTIONS: few }).databaseConnections, Number(few))
    for (const wrong of ["5", "1000", "-5", "many"]) {
      assert.include(refusal({ CAIRN_DATABASE_CONNECTIONS: wrong }), "CAIRN_DATABASE_CONNECTIONS is wrong")
    }
  })

  it("refuses a way to a database that might be without TLS unnoticed, and never says the password", () => {
    const url = "postgres://me:hunter2@db.example/cairn"
    const here = fileURLToPath(import.meta.url)
    for (const [query, why] of [
      ["sslmode=prefer", "sslmode as one of disable, require"],
      ["sslmode=allow", "sslmode as one of disable, require"],
      ["sslmode=Require", "sslmode as one of disable, require"],
      ["sslrootcert=/ca.pem", "sslmode=verify-full beside sslrootcert"],
      ["sslmode=verify-full&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem is none that can be read"],
      [`sslmode=verify-full&sslrootcert=${here}`, "is none that can be read"],
      ["sslmode=verify-full&sslcert=/me.pem", "sslcert, sslkey"],
      ["ssl=true", "ssl is not known"],
      ["sslMode=verify-full", "sslMode is not known"],
      ["tls=true", "tls is not known"],
      ["sslmode=disable&sslmode=verify-full", "sslmode once"],
      ["options=a%0Ab", "no control characters"]
    ] as const) {
      const said = refusal({ DATABASE_URL: `${url}?${query}` })
      assert.include(said, "DATABASE_URL is wrong")
      assert.include(said, why)
      assert.notInclude(said, "hunter2")
    }
    const folder = mkdtempSync(join(tmpdir(), "cairn-ca-"))
    afterAll(() => rmSync(folder, { recursive: true }))
    const broken = join(folder, "broken.pem")
    writeFileSync(broken, "-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----\n")
    assert.include(
      refusal({ DATABASE_URL: `${url}?sslmode=require&sslrootcert=${broken}` }),
      "is none that can be read"
    )
    for (const mode of ["disable", "require", "verify-ca", "verify-full"]) {
      const { databaseUrl } = readConfig({ DATABASE_URL: `${url}?sslmode=${mode}` })
      assert.isDefined(databaseUrl)
    }
  })

  it("refuses a database's URL that its client can't take apart, without a part of it", () => {
    for (const url of [
      "postgres://me:50%hunter2@db/cairn",
      "postgres://me:hunter2%ff@db/cairn",
      "postgres://m%zz:hunter2@db/cairn",
      "postgres://me:hunter2@d%ff/cairn",
      "postgres://me:hunter2@db/ca%ffirn"
    ]) {
      const said = refusal({ DATABASE_URL: url })
      assert.match(said, /^DATABASE_URL is wrong: expected %25 for a % /)
      assert.notInclude(said, "hunter2")
    }
    for (const url of [
      "postgres://me:hunter2@db/cairn%0Acairn:%20all%20is%20well",
      "postgres://me:hunter2%00@db/cairn"
    ]) {
      assert.strictEqual(refusal({ DATABASE_URL: url }), "DATABASE_URL is wrong: expected no control characters")
    }
    assert.isDefined(readConfig({ DATABASE_URL: "postgres://me:50%25%C3%A9@db/ca%2Firn?host=db2" }).databaseUrl)
    assert.include(refusal({ DATABASE_URL: "postgres:me:hunter2@db" }), "a URL that begins with postgres://")
    // what ends the host early must not be told as the name of the database
    for (const early of ["me:12/hunter2@db/cairn", "m/e:hunter2@db", "me:12#hunter2@db", "me:12?hunter2@db/cairn"]) {
      const said = refusal({ DATABASE_URL: `postgres://${early}` })
      assert.include(said, "%2F for a /")
      assert.notInclude(said, "hunter2")
    }
    assert.include(refusal({ ELASTICSEARCH_URL: "https://m/e:hunter2@search" }), "ELASTICSEARCH_URL is wrong")
  })

  it("takes names as hosts, and refuses what no host is called", () => {
    const { allowedHosts } = readConfig({ CAIRN_ALLOWED_HOSTS: "Cairn.Example.com, 10.0.0.5,[2001:db8::1]" })
    assert.deepStrictEqual(allowedHosts, ["cairn.example.com", "10.0.0.5", "[2001:db8::1]"])
    for (const wrong of ["*", "https://x.example", "x.example:8080", "x/y", "::1"]) {
      assert.include(refusal({ CAIRN_ALLOWED_HOSTS: wrong }), "CAIRN_ALLOWED_HOSTS is wrong")
    }
  })
})

describe("the configuration of Elasticsearch", () => {
  const url = "https://search.example.com:9200"

  it("is none unless there is a URL, and has its own words for who asks", () => {
    assert.isUndefined(readConfig({ ELASTICSEARCH_URL: " " }).elasticsearch)
    const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: url, ELASTICSEARCH_API_KEY: "a-key-of-mine" })
    assert.deepInclude(elasticsearch, { urls: [url], caFile: undefined, index: "cairn-snippets" })
    assert.notInclude(JSON.stringify(elasticsearch), "of-mine")
  })

  it("may name several nodes", () => {
    const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: `${url}, https://other.example.com:9200` })
    assert.deepStrictEqual(elasticsearch?.urls, [url, "https://other.example.com:9200"])
  })

  it.each([
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: "search.example.com:9200" }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: "," }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: `${url},https://elastic:secret@other.example.com` }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: `${url},http://127.0.0.1`, ELASTICSEARCH_CA_FILE: "ca.pem" }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: "https://elastic:secret@search.example.com" }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_API_KEY: "a-key" }],
    ["ELASTICSEARCH_URL", { ELASTICSEARCH_URL: "http://127.0.0.1:9200", ELASTICSEARCH_CA_FILE: "ca.pem" }],
    ["ELASTICSEARCH_API_KEY", { ELASTICSEARCH_URL: url, ELASTICSEARCH_API_KEY: "k", ELASTICSEARCH_USERNAME: "u" }],
    ["ELASTICSEARCH_USERNAME", { ELASTICSEARCH_URL: url, ELASTICSEARCH_PASSWORD: "secret" }],
    ["ELASTICSEARCH_INDEX", { ELASTICSEARCH_URL: url, ELASTICSEARCH_INDEX: "a,b*" }]
  ])("is refused by the name of %s, without what is secret: %j", (name, environment) => {
    const said = refusal(environment as Record<string, string>)
    assert.include(said, `${name} is wrong`)
    assert.notInclude(said, "secret")
  })
})

describe("names of a service", () => {
  it.each([
    ["127.0.0.1", [], ["127.0.0.1", "[::1]", "localhost"]],
    ["localhost", [], ["127.0.0.1", "[::1]", "localhost"]],
    ["::1", ["x.example"], ["127.0.0.1", "[::1]", "localhost", "x.example"]],
    ["127.0.0.9", [], ["127.0.0.1", "127.0.0.9", "[::1]", "localhost"]],
    ["0.0.0.0", ["x.example"], ["0.0.0.0", "127.0.0.1", "[::1]", "localhost", "x.example"]],
    ["0.0.0.0", [], undefined],
    ["10.1.2.3", [], undefined]
  ])("that listens at %s and was given %j are %j", (host, given, names) => {
    const found = namesOf(host, given)
    assert.deepStrictEqual(found && [...found].sort(), names)
  })

  it.each([
    ["localhost:8080", "localhost"],
    ["LOCALHOST", "localhost"],
    ["localhost.:1", "localhost"],
    ["[::1]:8080", "[::1]"],
    ["127.0.0.1.evil.example", "127.0.0.1.evil.example"],
    ["localhost@evil.example", undefined],
    ["localhost:80:80", undefined],
    ["localhost evil", undefined],
    ["", undefined]
  ])("%j as a Host names %j", (header, name) => {
    assert.strictEqual(nameIn(header), name)
  })

  describe("of secrets in files", () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-secrets-"))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    const fileOf = (text: string) => {
      const path = join(folder, `${readdirSync(folder).length}`)
      writeFileSync(path, text)
      return path
    }
    const values: { readonly [name in (typeof secrets)[number]]: string } = {
      DATABASE_URL: "postgres://me:hunter2@db/cairn",
      KURRENTDB_URL: "kurrentdb://me:hunter2@log:2113",
      ELASTICSEARCH_API_KEY: "hunter2",
      ELASTICSEARCH_PASSWORD: "hunter2 and more",
      CAIRN_EMBEDDINGS_API_KEY: "hunter2",
      CAIRN_OWNER_KEY: `cairn_live_${"x1".repeat(21)}y`,
      ANTHROPIC_API_KEY: "hunter2",
      OPENAI_API_KEY: "hunter2",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=hunter2"
    }
    /** What has to be beside it. */
    const beside = (name: string) => ({
      ...(name.startsWith("ELASTIC") ? { ELASTICSEARCH_URL: "https://search:9200" } : {}),
      ...(name.startsWith("CAIRN_EMBED") ? embedded : {}),
      ...(name.endsWith("_PASSWORD") ? { ELASTICSEARCH_USERNAME: "me" } : {}),
      ...(name.startsWith("OTEL_") ? { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" } : {})
    })
    /** All that is hidden in a configuration. */
    const hidden = (value: unknown): ReadonlyArray<unknown> =>
      Redacted.isRedacted(value)
        ? [Redacted.value(value)]
        : typeof value === "object" && value !== null
          ? Object.values(value).flatMap(hidden)
          : []

    it.each(secrets)("%s is what its file has, without the spaces around it", (name) => {
      const given = { ...beside(name), [`${name}_FILE`]: fileOf(` ${values[name]}\n`) }
      const config = readConfig(given)
      assert.deepStrictEqual(hidden(config), [values[name]])
      assert.notInclude(JSON.stringify(config), values[name])
    })

    it("an empty name of a file is as good as none", () => {
      for (const name of secrets) {
        const given = { ...beside(name), [name]: values[name], [`${name}_FILE`]: " " }
        assert.deepStrictEqual(hidden(readConfig(given)), [values[name]])
      }
    })

    it.each(secrets)("%s given twice, or in a file that has none, is refused without a word of it", (name) => {
      const path = fileOf(values[name])
      const refused = (environment: Record<string, string>) => {
        const message = refusal({ ...beside(name), ...environment })
        assert.match(message, new RegExp(`^${name}_FILE is wrong: expected `))
        assert.notMatch(message, /hunter2|x1x1|\n/)
        return message
      }
      assert.include(refused({ [`${name}_FILE`]: path, [name]: values[name] }), `either it or ${name}, not both`)
      assert.include(refused({ [`${name}_FILE`]: join(folder, "none") }), "can't be (ENOENT)")
      assert.include(refused({ [`${name}_FILE`]: folder }), "can't be (EISDIR)")
      assert.include(refused({ [`${name}_FILE`]: fileOf("\n") }), "a file with one line")
      assert.include(refused({ [`${name}_FILE`]: fileOf(`${values[name]}\nhunter2\n`) }), "a file with one line")
    })
  })
})
