import { Context } from "effect"

/** Whether snippets may be published and public ones found, as `CAIRN_PUBLIC` says. */
export const isPublicLibraryOpen = Context.Reference<boolean>("cairn/isPublicLibraryOpen", { defaultValue: () => true })
