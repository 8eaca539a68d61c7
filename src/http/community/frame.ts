import { type Markup, markup } from "./markup.ts"

/** What is said of a page beside what it shows. */
export interface About {
  readonly title: string
  readonly description: string
  /** Its own address, where it has one that may be linked to; without one no search engine keeps it. */
  readonly url: string | undefined
  readonly isArticle?: boolean
}

/** Nothing runs; what is worn and shown is this service's own, and forms lead back to it. */
export const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

/** Files of the console's that these pages wear, by their paths. */
export interface Wear {
  readonly style: string
  readonly icon: string
}

/** A whole page around what it shows. */
export const framed = ({ style, icon }: Wear, { title, description, url, isArticle }: About, content: Markup): string =>
  `<!doctype html>\n${
    markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
${
  url === undefined
    ? markup`<meta name="robots" content="noindex">`
    : markup`<link rel="canonical" href="${url}">
<meta property="og:type" content="${isArticle ? "article" : "website"}">
<meta property="og:site_name" content="Cairn">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta name="twitter:card" content="summary">`
}
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${style}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="head">
<a class="brand" href="/public"><svg viewBox="5 4 22 26" width="18" height="22" aria-hidden="true"><ellipse cx="16" cy="25.4" rx="10.6" ry="3.4"/><ellipse cx="16.6" cy="18.2" rx="7.6" ry="3"/><ellipse cx="15.6" cy="12" rx="5.1" ry="2.5"/><ellipse cx="16.3" cy="6.9" rx="3" ry="1.8"/></svg>Cairn</a>
<nav aria-label="Cairn"><ul><li><a href="/public">Public snippets</a></li></ul></nav>
<div class="self"><a class="button small" href="/">Sign in</a></div>
</header>
<main id="main" tabindex="-1"><div class="page public">
${content}
</div></main>
</body>
</html>
`.text
  }`

/** A page that says why there is nothing. */
export const saying = (title: string, text: string): Markup =>
  markup`<div class="empty"><h1>${title}</h1><p>${text}</p><p><a href="/public">All public snippets</a></p></div>`
