const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Megabytes and larger units have one decimal, so that files of similar size differ. */
const digitsOf = (power: number) => (power > 1 ? 1 : 0)

/** Formats a number of bytes in decimal units: `512 bytes`, `48 KB`, `1.3 GB`. */
export function formatBytes(bytes: number): string {
  // Use the next unit for values that would be rounded to 1,000.
  const fitting = units.findIndex(
    (_unit, power) => Number((bytes / 1000 ** power).toFixed(digitsOf(power))) < 1000,
  )
  const power = fitting === -1 ? units.length - 1 : fitting
  const value = (bytes / 1000 ** power).toLocaleString('en-US', { maximumFractionDigits: digitsOf(power) })
  return `${value} ${bytes === 1 ? 'byte' : units[power]}`
}
