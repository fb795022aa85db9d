/** The largest compressed CSV of a sheet: about 200 MB of text. */
export const sheetMaxBytes = 24 * 1024 * 1024

/** The largest compressed CSVs that a process keeps. */
export const keptSheetsMaxBytes = 48 * 1024 * 1024

/** Days that a sheet link works. */
export const sheetLinkDays = 180
