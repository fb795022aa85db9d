const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats a number of bytes in decimal units: `512 bytes`, `48.2 kB`, `1.3 GB`. */
export function formatBytes(bytes: number): string {
  // A value that would round to 1,000 uses the next unit.
  const fitting = units.findIndex((_unit, power) => Math.round((bytes / 1000 ** power) * 10) < 10_000)
  const power = fitting === -1 ? units.length - 1 : fitting
  return `${(bytes / 1000 ** power).toLocaleString('en-US', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${bytes === 1 ? 'byte' : units[power]}`
}
