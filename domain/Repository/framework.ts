import { depthOf, nameOf, type RepositoryFile } from "./files.ts"

/**
 * A manifest that names the framework, by a package in it. The first that fits wins, so that what builds upon another comes
 * before it.
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
    (name) => [/^Cargo\.toml$/, name, new RegExp(`^\\s*(?:\\[.*\\.)?${name}\\b`, "m")] as const
  ),
  [/^Gemfile$/, "rails", /["']rails["']/],
  [/^Gemfile$/, "sinatra", /["']sinatra["']/],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, "spring-boot", /spring-boot/],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, "quarkus", /quarkus/],
  [/^composer\.json$/, "laravel", /"laravel\/framework"/],
  [/^composer\.json$/, "symfony", /"symfony\//],
  [/^mix\.exs$/, "phoenix", /:phoenix\b/],
  [/^pubspec\.yaml$/, "flutter", /^\s*flutter:/m],
  [/\.csproj$/, "asp.net", /Microsoft\.NET\.Sdk\.Web/]
]

/** What a manifest says when none of the frameworks is in it. */
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

/** Characters of a manifest that are looked at. */
const manifestLooked = 100_000

/** The framework or, failing that, the build system that a repository's manifests name; those next to the root first. */
export const frameworkOf = (files: ReadonlyArray<RepositoryFile>): string | null => {
  const byDepth = [...files].sort((one, other) => depthOf(one.path) - depthOf(other.path))
  for (const [manifest, framework, mark] of frameworks) {
    for (const { path, content } of byDepth) {
      if (manifest.test(nameOf(path)) && mark.test(content.slice(0, manifestLooked))) return framework
    }
  }
  return platforms.find(([manifest]) => byDepth.some(({ path }) => manifest.test(nameOf(path))))?.[1] ?? null
}
