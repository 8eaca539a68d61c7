declare module "highlight.js" {
  /** Gets the pieces of a source, in their order. */
  interface Emitter {
    addText(text: string): void
    startScope(scope: string): void
    endScope(): void
    /** The same for a grammar's modes. */
    openNode(scope: string): void
    closeNode(): void
    __addSublanguage(other: Emitter, name: string): void
    finalize(): void
    toHTML(): string
  }
  interface Highlighter {
    configure(options: { readonly __emitter: new () => Emitter }): void
    registerLanguage(name: string, language: unknown): void
    getLanguage(name: string): unknown
    highlight(
      source: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean }
    ): {
      readonly _emitter: Emitter
    }
  }
  const highlighter: Highlighter
  export default highlighter
}
