import { depthOf, nameOf, type RepositoryFile } from "./files.ts"

/**
 * The manifests that name a framework, by a package in them. The first match wins, so a framework comes before the one
 * that it builds upon.
 */
const frameworks: ReadonlyArray<readonly [manifest: RegExp, framework: string, mark: RegExp]> = [
  ...(
    [
      ["next.js", "next"],
      ["nuxt", "nuxt"],
      ["remix", "@remix-run/\\w+"],
      ["sveltekit", "@sveltejs/kit"],
      ["astro", "astro"],
      ["angular", "@angular/core"],
      ["nestjs", "@nestjs/core"],
      ["expo", "expo"],
      ["react-native", "react-native"],
      ["electron", "electron"],
      ["effect", "effect"],
      ["hono", "hono"],
      ["fastify", "fastify"],
      ["koa", "koa"],
      ["express", "express"],
      ["react", "react"],
      ["vue", "vue"],
      ["svelte", "svelte"]
    ] as const
  ).map(([name, mark]) => [/^package\.json$/, name, new RegExp(`"${mark}"\\s*:`)] as const),
  ...(["django", "fastapi", "flask", "streamlit", "aiohttp", "tornado", "scrapy", "celery"] as const).map(
    (name) =>
      [
        /^(?:pyproject\.toml|requirements.*\.txt|Pipfile|setup\.(?:py|cfg))$/,
        name,
        new RegExp(`(?:^|["'\\s])${name}\\b`, "im")
      ] as const
  ),
  ...(
    [
      ["gin", "github\\.com/gin-gonic/gin"],
      ["echo", "github\\.com/labstack/echo"],
      ["fiber", "github\\.com/gofiber/fiber"],
      ["chi", "github\\.com/go-chi/chi"],
      ["cobra", "github\\.com/spf13/cobra"]
    ] as const
  ).map(([name, mark]) => [/^go\.mod$/, name, new RegExp(mark)] as const),
  ...(["axum", "actix-web", "rocket", "tauri", "leptos", "bevy", "clap"] as const).map(
    (name) => [/^Cargo\.toml$/, name, new RegExp(`^[ \\t]*(?:\\[.*\\.)?${name}\\b`, "m")] as const
  ),
  [/^Gemfile$/, "rails", /["']rails["']/],
  [/^Gemfile$/, "sinatra", /["']sinatra["']/],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, "spring-boot", /spring-boot/],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, "quarkus", /quarkus/],
  [/^composer\.json$/, "laravel", /"laravel\/framework"/],
  [/^composer\.json$/, "symfony", /"symfony\//],
  [/^mix\.exs$/, "phoenix", /:phoenix\b/],
  [/^pubspec\.yaml$/, "flutter", /^[ \t]*flutter:/m],
  [/\.csproj$/, "asp.net", /Microsoft\.NET\.Sdk\.Web/]
]

/** What a manifest stands for if it names none of the frameworks. */
const platforms: ReadonlyArray<readonly [manifest: RegExp, platform: string]> = [
  [/^(?:deno|jsr)\.jsonc?$/, "deno"],
  [/^package\.json$/, "node.js"],
  [/^(?:pyproject\.toml|requirements.*\.txt|Pipfile|setup\.(?:py|cfg))$/, "python"],
  [/^go\.mod$/, "go"],
  [/^Cargo\.toml$/, "cargo"],
  [/^Gemfile$/, "ruby"],
  [/^pom\.xml$/, "maven"],
  [/^build\.gradle(?:\.kts)?$/, "gradle"],
  [/^composer\.json$/, "php"],
  [/^mix\.exs$/, "elixir"],
  [/^pubspec\.yaml$/, "dart"],
  [/\.(?:cs|fs)proj$/, ".net"],
  [/^CMakeLists\.txt$/, "cmake"],
  [/^Makefile$/, "make"]
]

/** How many manifests are looked at, those nearest to the root first, and how many characters of each. */
const mostManifests = 20
const manifestLooked = 30_000

/**
 * The framework or, failing that, the platform that the manifests nearest to the root name; `null` if there is none.
 */
export const frameworkOf = (files: ReadonlyArray<RepositoryFile>): string | null => {
  const byDepth = [...files].sort((one, other) => depthOf(one.path) - depthOf(other.path))
  const named = byDepth.map(({ path, content }) => ({ name: nameOf(path), content: content.slice(0, manifestLooked) }))
  const isManifest = (name: string) => platforms.some(([manifest]) => manifest.test(name))
  const manifests = named.filter(({ name }) => isManifest(name)).slice(0, mostManifests)
  for (const [manifest, framework, mark] of frameworks) {
    for (const { name, content } of manifests) {
      if (manifest.test(name) && mark.test(content)) return framework
    }
  }
  return platforms.find(([manifest]) => manifests.some(({ name }) => manifest.test(name)))?.[1] ?? null
}
