import type { TimeField } from '#server/deals/find/columns.ts'

/** The figures counted by week. `dash` distinguishes the lines without colour. */
export const weekSeries = [
  { name: 'created', label: 'Created', field: 'createDate', colour: 'var(--info)', dash: '5 5' },
  {
    name: 'installed',
    label: 'Installed',
    field: 'installComplete',
    colour: 'var(--teal)',
    dash: undefined,
  },
  {
    name: 'funded',
    label: 'Funding submitted',
    field: 'fundingSubmitted',
    colour: 'var(--good)',
    dash: '1 5',
  },
] as const satisfies {
  name: string
  label: string
  field: TimeField
  colour: string
  dash: string | undefined
}[]
