import { Context } from "effect"

/** Whether snippets may be published, and found by others: what `CAIRN_PUBLIC` says. */
export const isPublicLibraryOpen = Context.Reference<boolean>("cairn/isPublicLibraryOpen", { defaultValue: () => true })
