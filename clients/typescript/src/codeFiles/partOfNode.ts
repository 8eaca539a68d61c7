/** Loaded only by who writes, and by a name that bundlers don't see: the rest of the library runs in browsers, too. */
export const partOfNode = <T>(name: string): Promise<T> => import(/* webpackIgnore: true */ /* @vite-ignore */ name)
