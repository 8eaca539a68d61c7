import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"

let service: Service
let cairn: Cairn
const ids: Record<string, string> = {}

const create = async (name: string, more: object = {}, isPublic = true) => {
  const source = `def ${name}():\n    return 1\n`
  const stored = await cairn.snippets.create({
    name,
    source,
    entrypoint: name,
    language: "python",
    description: `Does ${name}.`,
    public: isPublic,
    ...more
  })
  ids[name] = stored.codeBlockId
  return stored.codeBlockId
}

beforeAll(async () => {
  service = await startService()
  cairn = new Cairn({ apiKey: "cairn_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg", baseUrl: service.url })
  await create("gibbon")
  await create("macaque", { language: "go" })
  await create("hidden", {}, false)
})
afterAll(() => service?.close())

const get = (path: string, headers: { readonly [name: string]: string } = {}, url = service.url) =>
  fetch(url + path, { headers, redirect: "manual" })
const read = async (path: string, status = 200, url = service.url) => {
  const answer = await get(path, {}, url)
  const text = await answer.text()
  assert.strictEqual(answer.status, status, `${path}: ${text.slice(0, 300)}`)
  return text
}

describe("public snippets have pages", () => {
  it("of their own, without a key, which others may link to", async () => {
    const answer = await get(`/public/${ids["gibbon"]}`)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(answer.headers.get("x-robots-tag"), null)
    assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
    const text = await answer.text()
    const url = `${service.url}/public/${ids["gibbon"]}`
    for (const part of [
      "<title>gibbon · Cairn</title>",
      '<meta property="og:title" content="gibbon · Cairn">',
      '<meta property="og:description" content="Does gibbon.">',
      `<meta property="og:url" content="${url}">`,
      '<meta property="og:type" content="article">',
      `<link rel="canonical" href="${url}">`,
      '<div class="line" data-line="2"><code>    return 1\n</code></div>'
    ])
      assert.include(text, part)
    assert.notInclude(text, "noindex")
  })

  it("which say nothing of whose they are, and run nothing", async () => {
    const answer = await get(`/public/${ids["gibbon"]}`)
    const text = await answer.text()
    assert.strictEqual(
      answer.headers.get("content-security-policy"),
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    assert.notMatch(text, /<script|<style|style="|\son[a-z]+="/)
    const { keys } = await cairn.keys.list()
    for (const { userEmail, userId } of keys) {
      assert.notInclude(text, userEmail)
      assert.notInclude(text, userId)
    }
    for (const [, path] of text.matchAll(/(?:href|src)="(\/[^"]*)"/g))
      assert.strictEqual((await get(path!)).status, 200, path)
  })

  it("and a plain text, which is no page", async () => {
    const answer = await get(`/public/${ids["gibbon"]}.txt`)
    assert.strictEqual(await answer.text(), "def gibbon():\n    return 1\n")
    assert.strictEqual(answer.headers.get("content-type"), "text/plain; charset=utf-8")
    assert.include(answer.headers.get("content-security-policy")!, "sandbox")
    assert.strictEqual(answer.headers.get("x-robots-tag"), "noindex")
  })

  it("and no others have: private ones, deleted ones, and what is no id are not there", async () => {
    const gone = await create("gone")
    await read(`/public/${gone}`)
    await cairn.snippets.delete(gone)
    for (const id of [gone, ids["hidden"]!, "nothing", "%E0%A4", "00000000-0000-4000-8000-000000000000"]) {
      for (const path of [`/public/${id}`, `/public/${id}.txt`]) {
        const answer = await get(path)
        assert.strictEqual(answer.status, 404, path)
        const text = await answer.text()
        if (id !== "%E0%A4") assert.include(text, '<meta name="robots" content="noindex">', path)
      }
    }
  })

  it("with every text of strangers as text", async () => {
    const markup = `"><img src=x onerror=alert(1)><script>alert(1)</script></title></bdi>&amp;'`
    const id = await create("attack", {
      name: `attack ${markup}`.slice(0, 200),
      source: `</code></pre>${markup}\u001b[2J\u202e\n`,
      description: `${markup} \u202e${"x".repeat(300)}`,
      entrypoint: markup.slice(0, 60)
    })
    for (const path of [
      `/public/${id}`,
      "/public?sort=recent",
      `/public?q=${encodeURIComponent(markup)}`,
      `/public?language=${encodeURIComponent(markup)}`
    ]) {
      const text = await read(path)
      assert.notMatch(text, /<img|<script|&amp;amp;'/, path)
      assert.notMatch(text, /[\u001b\u202e]/, path)
    }
    assert.include(await read(`/public/${id}`), "U+202E, right-to-left override")
    const [, said] = /og:description" content="([^"]*)"/.exec(await read(`/public/${id}`))!
    assert.isAtMost(said!.length, 400)
    await cairn.snippets.delete(id)
  })

  it("of which a long one is shown in part", async () => {
    const source = `# ${"y".repeat(5_000)}\n${"z = 1\n".repeat(60_000)}`
    const id = await create("long", { source, description: "ع".repeat(12_345) })
    const text = await read(`/public/${id}`)
    assert.include(text, "… 2,345 more characters")
    assert.include(text, "3,002 more characters")
    assert.include(text, "The first 200,000 of 365,003 characters.")
    assert.isBelow(text.length, 4_000_000)
    assert.strictEqual((await read(`/public/${id}.txt`)).length, 365_003)
    await cairn.snippets.delete(id)
  })

  it("whose brief is cut between characters", async () => {
    const id = await create("faces", { description: "😀".repeat(300) })
    const text = await read(`/public/${id}`)
    assert.include(text, `content="${"😀".repeat(99)}…"`)
    await cairn.snippets.delete(id)
  })
})

describe("the list of public snippets", () => {
  it("has them by votes or the newest first, by language, and found by a task", async () => {
    const names = async (path: string) =>
      [...(await read(path)).matchAll(/<h2><a href="[^"]*"><bdi class="text">([^<]*)/g)].map(([, name]) => name)
    assert.deepStrictEqual(await names("/public?sort=recent"), ["macaque", "gibbon"])
    await cairn.snippets.vote({ codeBlockId: ids["gibbon"]!, succeeded: true, task: "swing" })
    assert.deepStrictEqual(await names("/public"), ["gibbon", "macaque"])
    assert.deepStrictEqual(await names("/public?language=go"), ["macaque"])
    assert.deepStrictEqual(await names("/public?q=gibbon"), ["gibbon"])
    assert.include(await read("/public?q=gibbon"), "noindex")
    assert.notInclude(await read("/public"), "noindex")
    assert.include(await read("/public?language=cobol"), "Nothing found")
    assert.strictEqual((await get("/public?cursor=nonsense")).status, 400)
  })

  it("goes on page by page", async () => {
    const made = []
    for (let n = 0; n < 31; n++) made.push(await create(`many${n}`))
    const first = await read("/public?sort=recent")
    assert.strictEqual(first.match(/<li>\n<h2>/g)!.length, 30)
    const [, next] = /rel="next" href="([^"]*)"/.exec(first)!
    const second = await read(next!.replaceAll("&amp;", "&"))
    assert.strictEqual(second.match(/<li>\n<h2>/g)!.length, 3)
    assert.notInclude(second, 'rel="next"')
    for (const id of made) await cairn.snippets.delete(id)
  })
})

describe("search engines", () => {
  it("are told where the pages are, and to look at nothing else", async () => {
    assert.strictEqual(
      await read("/robots.txt"),
      `User-agent: *\nAllow: /public\nAllow: /sitemap.xml\nAllow: /assets/\nDisallow: /\n\nSitemap: ${service.url}/sitemap.xml\n`
    )
    const index = await read("/sitemap.xml")
    const parts = [...index.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!)
    assert.deepStrictEqual(parts, [`${service.url}/sitemap.xml?after=0`])
    const part = await read(parts[0]!.slice(service.url.length))
    assert.sameMembers(
      [...part.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!),
      [ids["gibbon"], ids["macaque"]].map((id) => `${service.url}/public/${id}`)
    )
    const [first] = [ids["gibbon"]!, ids["macaque"]!].sort()
    assert.strictEqual((await read(`/sitemap.xml?after=${first}`)).match(/<url>/g)!.length, 1)
    assert.strictEqual((await get("/sitemap.xml?after=x")).status, 404)
    assert.include(await read("/"), '<meta name="robots" content="noindex">')
  })

  it("and anybody else find nothing where the operator publishes nothing", async () => {
    const closed = await startService({ CAIRN_PUBLIC: "off" })
    for (const path of ["/public", `/public/${ids["gibbon"]}`, "/sitemap.xml"]) {
      const answer = await get(path, {}, closed.url)
      assert.strictEqual(answer.status, 403, path)
      assert.strictEqual(answer.headers.get("x-robots-tag"), "noindex", path)
      const text = await answer.text()
      assert.include(text, "Nothing is public here", path)
      assert.notInclude(text, "og:", path)
    }
    assert.strictEqual(await read("/robots.txt", 200, closed.url), "User-agent: *\nDisallow: /\n")
    await closed.close()
  })

  it("are held to the same limits as anybody without a key", async () => {
    const limited = await startService({ CAIRN_RATE_LIMITS: "other=3" })
    for (let n = 0; n < 3; n++) await read("/public", 200, limited.url)
    const answer = await get("/public", {}, limited.url)
    assert.strictEqual(answer.status, 429)
    assert.isAtLeast(Number(answer.headers.get("retry-after")), 1)
    await answer.text()
    await limited.close()
  })
})
