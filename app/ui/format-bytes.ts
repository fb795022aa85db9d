const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** One decimal from megabytes on, to distinguish files. */
const digitsOf = (power: number) => (power > 1 ? 1 : 0)

/** Formats a number of bytes in decimal units: `512 bytes`, `48 KB`, `1.3 GB`. */
export function formatBytes(bytes: number): string {
  // A value that would round to 1,000 uses the next unit.
  const fitting = units.findIndex(
    (_unit, power) => Number((bytes / 1000 ** power).toFixed(digitsOf(power))) < 1000,
  )
  const power = fitting === -1 ? units.length - 1 : fitting
  const value = (bytes / 1000 ** power).toLocaleString('en-US', { maximumFractionDigits: digitsOf(power) })
  return `${value} ${bytes === 1 ? 'byte' : units[power]}`
}
