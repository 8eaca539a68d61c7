declare module "parse-prometheus-text-format" {
  /** Reads Prometheus' text format 0.0.4. */
  export default function parse(text: string): ReadonlyArray<object>
}
