/**
 * The file in the folder of repositories that says to which database it belongs. A folder that had it and has it no more is
 * away (a disk that is not mounted leaves an empty folder in its place): nothing may be made or erased in it.
 */
export const mark = ".installation"
