import type { TokenDay } from '#server/tokens/wire.ts'

/** The figures counted by day. */
export const usageSeries = [
  { name: 'requests', label: 'Requests', colour: 'var(--accent)' },
  { name: 'errors', label: 'Errors', colour: 'var(--bad)' },
] as const satisfies { name: keyof TokenDay; label: string; colour: string }[]
