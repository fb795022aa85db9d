/** Maximum size of a sheet's compressed CSV, which corresponds to about 200 MB of text. */
export const sheetMaxBytes = 24 * 1024 * 1024

/** Maximum total size of the compressed CSVs that a process caches. */
export const keptSheetsMaxBytes = 48 * 1024 * 1024

/** Number of days that a sheet link is valid. */
export const sheetLinkDays = 180
