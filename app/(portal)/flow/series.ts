/** The figures of a step by month. `dash` distinguishes the lines without colour. */
export const monthSeries = [
  { name: 'median', label: 'Median days', colour: 'var(--teal)', dash: undefined },
  { name: 'slow', label: '80% within', colour: 'var(--info)', dash: '5 5' },
  { name: 'count', label: 'Deals', colour: 'var(--control)', dash: undefined },
] as const
