import { type Markup, markup } from "./markup.ts"

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

/** Addresses in one file: fewer than the 50,000 that search engines take. */
export const perSitemap = 10_000

/** Where the parts are, by what each begins behind. */
export const sitemapIndex = (origin: string, begins: ReadonlyArray<string>): string =>
  head +
  markup`<sitemapindex xmlns="${namespace}">${begins.map(
    (after): Markup => markup`<sitemap><loc>${`${origin}/sitemap.xml?after=${after}`}</loc></sitemap>`
  )}</sitemapindex>\n`.text

/** One part: the addresses of public snippets. */
export const sitemap = (
  origin: string,
  snippets: ReadonlyArray<{ readonly id: string; readonly created_at: Date }>
): string =>
  head +
  markup`<urlset xmlns="${namespace}">${snippets.map(
    ({ id, created_at }): Markup =>
      markup`<url><loc>${`${origin}/public/${id}`}</loc><lastmod>${created_at.toISOString()}</lastmod></url>`
  )}</urlset>\n`.text

/** What search engines may look at: the public pages, where there are any. */
export const robots = (origin: string | undefined, isOpen: boolean): string =>
  isOpen
    ? [
        "User-agent: *",
        ...["/public", "/sitemap.xml", "/assets/"].map((path) => `Allow: ${path}`),
        "Disallow: /",
        ...(origin === undefined ? [] : ["", `Sitemap: ${origin}/sitemap.xml`]),
        ""
      ].join("\n")
    : "User-agent: *\nDisallow: /\n"
