const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A wait in the largest unit in which it is whole: `5 seconds`, `1 minute`, `24 hours`; what is no whole second with its fraction. */
export function formatWait(ms: number): string {
  const [unit, unitMs] = units.find(([, lengthMs]) => ms >= lengthMs && ms % lengthMs === 0) ?? units[2]
  const count = ms / unitMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
