const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes in the unit that suits it, by thousands: `512 bytes`, `48.2 kB`, `1.3 GB`. */
export function formatBytes(bytes: number): string {
  // What would round to 1,000 of a unit is one of the next.
  const fitting = units.findIndex((_unit, power) => Math.round((bytes / 1000 ** power) * 10) < 10_000)
  const power = fitting === -1 ? units.length - 1 : fitting
  return `${(bytes / 1000 ** power).toLocaleString('en-US', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${bytes === 1 ? 'byte' : units[power]}`
}
