import { createHash } from "node:crypto"
import { entry, icon, readModules, readPackages, style } from "./modules.ts"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** A name for a group of files, which changes with any of them. */
const hashOf = (texts: ReadonlyMap<string, string>): string =>
  digest(JSON.stringify([...texts].sort(([one], [other]) => (one < other ? -1 : 1))))
    .toString("hex")
    .slice(0, 16)

/**
 * The page may run and load only this service's own files, and speak only to this service. No browser loads an import
 * map from a file, so the page has it inline, allowed by its digest. Trusted types keep any text, whoever wrote it,
 * from becoming markup or code.
 */
const policyOf = (importMap: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${digest(importMap).toString("base64")}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const typeOf = (path: string): string => {
  if (path.endsWith(".css")) return "text/css; charset=utf-8"
  if (path.endsWith(".svg")) return "image/svg+xml"
  return "text/javascript; charset=utf-8"
}

export interface Asset {
  readonly text: string
  readonly type: string
}

/** The console's page with its policy, and all that it loads, by paths that change with the contents. */
export const makeConsole = async () => {
  const modules = await readModules()
  const packages = readPackages()
  const [own, others] = [`/assets/${hashOf(modules)}/`, `/assets/${hashOf(packages.texts)}/`]
  const assets = new Map<string, Asset>()
  for (const [base, texts] of [[own, modules] as const, [others, packages.texts] as const])
    for (const [path, text] of texts) assets.set(base + path, { text, type: typeOf(path) })
  const imports = Object.fromEntries(packages.names.map(([name, file]) => [name, others + file]))
  const importMap = JSON.stringify({ imports })
  const wear = { style: own + style, icon: own + icon }
  const html = [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    "<title>Cairn</title>",
    `<link rel="icon" type="image/svg+xml" href="${wear.icon}">`,
    `<link rel="stylesheet" href="${wear.style}">`,
    `<script type="importmap">${importMap}</script>`,
    ...packages.first.map((path) => `<link rel="modulepreload" href="${others}${path}">`),
    `<script type="module" src="${own}${entry}"></script>`,
    "</head>",
    "<body>",
    '<div id="console"></div>',
    "<noscript>The console needs JavaScript. The API needs none: <a href='/docs'>its documentation</a>.</noscript>",
    "</body>",
    "</html>",
    ""
  ].join("\n")
  return { page: { html, policy: policyOf(importMap) }, assets, wear }
}
